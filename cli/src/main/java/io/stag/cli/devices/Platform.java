package io.stag.cli.devices;

import com.google.gson.annotations.SerializedName;
import io.stag.verbs.Rnic;

/**
 * What Stag runs on.
 *
 * @param operatingSystem name, version and architecture
 * @param java name and version of the JVM
 * @param processors processors this process may use
 * @param nativeAccess whether the faster system calls of Linux may be used
 */
record Platform(
        @SerializedName("operating_system") String operatingSystem,
        String java,
        int processors,
        @SerializedName("native_access") boolean nativeAccess) {
    static Platform here() {
        return new Platform(
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                Rnic.class.getModule().isNativeAccessEnabled());
    }
}
