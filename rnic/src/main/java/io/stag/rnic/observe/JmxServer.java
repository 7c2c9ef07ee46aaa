package io.stag.rnic.observe;

import io.stag.verbs.Rnic;
import java.lang.management.ManagementFactory;
import java.util.regex.Pattern;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The part of {@link Jmx} that cannot be loaded without the module {@code java.management}. */
final class JmxServer {
    private static final System.Logger LOG = System.getLogger(JmxServer.class.getName());
    private static final Pattern PLAIN = Pattern.compile("[\\w.-]+");
    private static final int MOST_OF_ONE_NAME = 10_000;

    private JmxServer() {}

    static Runnable register(Rnic rnic) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = register(server, rnic);
            return () -> unregister(server, name);
        } catch (JMException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "RNIC " + rnic.name() + " is not visible to JMX", e);
            return () -> {};
        }
    }

    /** Names of RNICs need not differ; the second {@code stag0} is {@code stag0-2} here. */
    private static ObjectName register(MBeanServer server, Rnic rnic) throws JMException {
        ManagedRnic bean = new ManagedRnic(rnic);
        for (int i = 1; ; i++) {
            ObjectName name = name(i == 1 ? rnic.name() : rnic.name() + "-" + i);
            try {
                return server.registerMBean(bean, name).getObjectName();
            } catch (InstanceAlreadyExistsException e) {
                if (i == MOST_OF_ONE_NAME) {
                    throw e;
                }
            }
        }
    }

    private static ObjectName name(String rnic) throws JMException {
        return new ObjectName(
                "io.stag:type=Rnic,name=" + (PLAIN.matcher(rnic).matches() ? rnic : ObjectName.quote(rnic)));
    }

    private static void unregister(MBeanServer server, ObjectName name) {
        try {
            server.unregisterMBean(name);
        } catch (JMException e) {
            LOG.log(System.Logger.Level.DEBUG, name + " was removed by somebody else", e);
        }
    }
}
