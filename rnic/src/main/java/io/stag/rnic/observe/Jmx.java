package io.stag.rnic.observe;

import io.stag.verbs.Rnic;

/** Registers RNICs with JMX where the Java run time has it; a small one may not. */
public final class Jmx {
    private Jmx() {}

    /**
     * Registers an RNIC with the platform's server; the first one of a process a little later, by a thread of its own,
     * since the server takes a good part of a second to start. A failure is logged, never thrown.
     *
     * @return removes it again
     */
    public static Runnable register(Rnic rnic) {
        if (ModuleLayer.boot().findModule("java.management").isEmpty()) {
            return () -> {};
        }
        JmxRegistration registration = new JmxRegistration(rnic);
        registration.start();
        return registration::remove;
    }
}
