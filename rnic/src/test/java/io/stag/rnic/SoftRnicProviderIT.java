package io.stag.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stag.rnic.transport.LinuxTransport;
import io.stag.rnic.transport.NioTransport;
import io.stag.rnic.transport.Transport;
import io.stag.simnet.Conforms;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SoftRnicProviderIT {
    private static final Class<? extends Transport> FASTEST =
            LinuxTransport.obstacle().isEmpty() ? LinuxTransport.class : NioTransport.class;

    @AfterEach
    void forgetTheProperty() {
        System.clearProperty("stag.transport");
    }

    @Test
    void systemCallsAreUsedWhereTheyWork() throws IOException {
        assertThat(chosen(true)).isEqualTo(FASTEST);
    }

    @Test
    void aProgramMayRefuseSystemCalls() throws IOException {
        assertThat(chosen(false)).isEqualTo(NioTransport.class);
    }

    @Test
    void thePropertyOverridesTheProgram() throws IOException {
        System.setProperty("stag.transport", "nio");
        assertThat(chosen(true)).isEqualTo(NioTransport.class);
        System.setProperty("stag.transport", "ffm");
        if (LinuxTransport.obstacle().isEmpty()) {
            assertThat(chosen(false)).isEqualTo(LinuxTransport.class);
        } else {
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> chosen(true))
                    .withMessageContaining(LinuxTransport.obstacle().get());
        }
    }

    @Test
    void anUnknownPropertyIsRefused() {
        System.setProperty("stag.transport", "pigeon");
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> chosen(true))
                .withMessageContaining("pigeon")
                .satisfies(e -> assertThat(e.error()).isEqualTo(VerbsError.INVALID_ARGUMENT));
    }

    @Test
    @Conforms("SEC-006")
    void noRnicHasTheStagsOfAnother() {
        assertThat(firstStags()).isNotEqualTo(firstStags());
    }

    /** Four, since one might be equal by chance. */
    private static List<Integer> firstStags() {
        try (Rnic rnic = new SoftRnicProvider().open(RnicConfig.defaults())) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            return IntStream.range(0, 4)
                    .mapToObj(_ -> domain.allocateWindow().stag())
                    .toList();
        }
    }

    private static Class<?> chosen(boolean nativeTransport) throws IOException {
        RnicConfig config =
                RnicConfig.builder().nativeTransport(nativeTransport).build();
        try (Transport transport = SoftRnicProvider.transport(config).open()) {
            return transport.getClass();
        }
    }
}
