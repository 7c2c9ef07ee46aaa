package io.stag.rnic;

import io.stag.rnic.observe.Jmx;
import io.stag.rnic.transport.LinuxTransport;
import io.stag.rnic.transport.NioTransport;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.spi.RnicProvider;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * Provides the software RNIC over the operating system's TCP: through system calls where {@link RnicConfig#nativeTransport}
 * and the platform allow it, else through NIO. The system property {@code stag.transport} overrides both: {@code nio}, or
 * {@code ffm}, which then fails where it cannot work.
 */
public final class SoftRnicProvider implements RnicProvider {
    private static final System.Logger LOG = System.getLogger(SoftRnicProvider.class.getName());
    private static final String TRANSPORT_PROPERTY = "stag.transport";

    /** For {@link java.util.ServiceLoader}. */
    public SoftRnicProvider() {}

    @Override
    public String name() {
        return "stag";
    }

    @Override
    public Rnic open(RnicConfig config) {
        SoftRnic rnic = new SoftRnic(config, transport(config), System::nanoTime, new SecureRandom());
        if (config.jmx()) {
            rnic.onClose(Jmx.register(rnic));
        }
        return rnic;
    }

    static SoftRnic.TransportFactory transport(RnicConfig config) {
        String wanted = System.getProperty(TRANSPORT_PROPERTY, "");
        return switch (wanted) {
            case "nio" -> NioTransport::new;
            case "ffm" -> {
                LinuxTransport.obstacle().ifPresent(obstacle -> {
                    throw refused(TRANSPORT_PROPERTY + "=ffm: " + obstacle);
                });
                yield LinuxTransport::new;
            }
            case "" -> config.nativeTransport() ? fastest() : NioTransport::new;
            default -> throw refused(TRANSPORT_PROPERTY + "=" + wanted + ": neither nio nor ffm");
        };
    }

    private static SoftRnic.TransportFactory fastest() {
        Optional<String> obstacle = LinuxTransport.obstacle();
        if (obstacle.isEmpty()) {
            return LinuxTransport::new;
        }
        LOG.log(System.Logger.Level.DEBUG, "NIO instead of system calls: {0}", obstacle.get());
        return NioTransport::new;
    }

    private static VerbsException refused(String why) {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, why);
    }
}
