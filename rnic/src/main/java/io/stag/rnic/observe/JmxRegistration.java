package io.stag.rnic.observe;

import io.stag.verbs.Rnic;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** The part of {@link Jmx} that cannot be loaded without the module {@code java.management}. */
final class JmxRegistration {
    private static final System.Logger LOG = System.getLogger(JmxRegistration.class.getName());
    private static final Pattern PLAIN = Pattern.compile("[\\w.-]+");
    private static final Set<String> NAMES_IN_USE = ConcurrentHashMap.newKeySet();
    private static volatile boolean serverStarted;

    private final Rnic rnic;
    private final String name;
    private @Nullable ObjectName registered;
    private boolean removed;

    /** Names of RNICs need not differ; the second {@code stag0} is {@code stag0-2} here. */
    JmxRegistration(Rnic rnic) {
        this.rnic = rnic;
        String free = rnic.name();
        for (int i = 2; !NAMES_IN_USE.add(free); i++) {
            free = rnic.name() + "-" + i;
        }
        name = free;
    }

    void start() {
        if (serverStarted) {
            register();
        } else {
            Thread.ofPlatform().daemon().name("stag-jmx").start(this::register);
        }
    }

    private synchronized void register() {
        if (removed) {
            return;
        }
        try {
            ObjectName wanted = new ObjectName(
                    "io.stag:type=Rnic,name=" + (PLAIN.matcher(name).matches() ? name : ObjectName.quote(name)));
            ManagementFactory.getPlatformMBeanServer().registerMBean(new ManagedRnic(rnic), wanted);
            serverStarted = true;
            registered = wanted;
        } catch (JMException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "RNIC " + name + " is not visible to JMX", e);
        }
    }

    synchronized void remove() {
        ObjectName present = registered;
        registered = null;
        if (present != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(present);
            } catch (JMException e) {
                LOG.log(System.Logger.Level.DEBUG, present + " was removed by somebody else", e);
            }
        }
        if (!removed) {
            removed = true;
            NAMES_IN_USE.remove(name);
        }
    }
}
