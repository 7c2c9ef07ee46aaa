package io.stag.rnic.observe;

import io.stag.verbs.Rnic;

/** Registers RNICs with JMX where the Java run time has it; a small one may not. */
public final class Jmx {
    private Jmx() {}

    /**
     * Registers an RNIC with the platform's server. A failure is logged, never thrown.
     *
     * @return removes it again
     */
    public static Runnable register(Rnic rnic) {
        return ModuleLayer.boot().findModule("java.management").isPresent() ? JmxServer.register(rnic) : () -> {};
    }
}
