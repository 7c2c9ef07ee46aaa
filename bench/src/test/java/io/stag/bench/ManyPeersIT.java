package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A small number of peers; many of them are a command, see README.md. */
class ManyPeersIT {
    @Test
    void everyPeerIsHeardAndRemembered() {
        Outcome outcome = Outcome.of(new ManyPeers(), "--peers=20", "--connections=5");
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out())
                .contains("with 20 peers that were heard: ")
                .contains("5 connections: ")
                .contains("20 connections at that rate: ");
    }
}
