package io.stag.verbs.spi;

import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;

/** What an implementation of the verbs registers with {@link java.util.ServiceLoader}. */
public interface RnicProvider {

    /** Short name that {@link RnicConfig.Builder#provider} can ask for. */
    String name();

    /** Opens an RNIC. */
    Rnic open(RnicConfig config);
}
