package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RpingTest {
    @Test
    void knowsWhatAServerPrints() {
        assertThat(Rping.serverOutput(23, 60))
                .startsWith("server ping data: rdma-ping-0: ABCDEFGHI", "server ping data: rdma-ping-1: BCDEFGHIJ")
                .hasSize(60)
                .endsWith("server ping data: rdma-ping-59: BCDEFGHI");
    }

    @Test
    void digestsLikeSha256sum() {
        assertThat(Rping.digest(Stream.of("a", "b")))
                .isEqualTo("911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2");
    }
}
