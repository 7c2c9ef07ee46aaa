package io.stag.rnic;

import io.stag.rnic.observe.Jmx;
import io.stag.rnic.transport.NioTransport;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.spi.RnicProvider;
import java.security.SecureRandom;

/** Provides the software RNIC over the operating system's TCP. */
public final class SoftRnicProvider implements RnicProvider {

    /** For {@link java.util.ServiceLoader}. */
    public SoftRnicProvider() {}

    @Override
    public String name() {
        return "stag";
    }

    @Override
    public Rnic open(RnicConfig config) {
        SoftRnic rnic = new SoftRnic(config, NioTransport::new, System::nanoTime, new SecureRandom());
        if (config.jmx()) {
            rnic.onClose(Jmx.register(rnic));
        }
        return rnic;
    }
}
