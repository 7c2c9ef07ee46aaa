package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A small number of peers; many of them are a command, see README.md. */
class ManyPeersIT {
    @Test
    void everyPeerIsHeardAndRemembered() {
        Outcome outcome =
                Outcome.of(new ManyPeers(), "--peers=20", "--connections=5", "--seconds=6", "--idle-seconds=0.2");
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out())
                .contains("with 20 peers that were heard: ")
                .contains("with 20 peers that were heard and answered: ")
                .contains("5 connections: ")
                .contains("20 connections at that rate: ")
                .contains(" s with 20 reliable peers that send a message a minute each: 2 messages in ")
                .contains("0 s with 20 reliable peers remembered and silent:");
    }

    @Test
    void longerThanPeersAreRememberedIsRefused() {
        Outcome outcome = Outcome.of(new ManyPeers(), "--seconds=500", "--idle-seconds=1");
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("at most 500");
    }
}
