package io.stag.bench;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A network that can be cut: another network namespace behind a router, which is a namespace too. When the router stops
 * forwarding, packets vanish without a word to anybody, and all links stay up. Needs Linux, root, and {@code ip}.
 */
final class Cable implements AutoCloseable {
    // 198.18.0.0/15 is for measuring networks (RFC 2544), so that nobody else uses it
    private static final String NEAR = "198.18.77.1";
    private static final String NEAR_ROUTER = "198.18.77.2";
    private static final String FAR_ROUTER = "198.18.77.5";
    private static final String FAR = "198.18.77.6";
    private static final String FAR_NETWORK = "198.18.77.4/30";
    private static final String LENGTH = "/30";

    private final String router = "stag-router-" + ProcessHandle.current().pid();
    private final String far = "stag-far-" + ProcessHandle.current().pid();
    private final List<String> namespaces = new ArrayList<>();

    /** Builds the network; throws a {@link Program.Failure} where that is not allowed or not possible. */
    Cable() {
        try {
            add(router);
            add(far);
            link("stagnear", "", NEAR, "stagrtr0", router, NEAR_ROUTER);
            link("stagrtr1", router, FAR_ROUTER, "stagfar", far, FAR);
            Shell.run("ip", "route", "add", FAR_NETWORK, "via", NEAR_ROUTER);
            Shell.run("ip", "-n", far, "route", "add", "default", "via", FAR_ROUTER);
            plug();
        } catch (Program.Failure e) {
            close();
            throw e;
        }
    }

    private void add(String namespace) {
        Shell.run("ip", "netns", "add", namespace);
        namespaces.add(namespace);
    }

    private static void link(
            String one, String oneNamespace, String oneAddress, String two, String twoNamespace, String twoAddress) {
        List<String> command = new ArrayList<>(List.of("ip"));
        if (!oneNamespace.isEmpty()) {
            command.addAll(List.of("-n", oneNamespace));
        }
        List<String> add = new ArrayList<>(command);
        add.addAll(List.of("link", "add", one, "type", "veth", "peer", "name", two, "netns", twoNamespace));
        Shell.run(add.toArray(String[]::new));
        raise(command, one, oneAddress);
        raise(List.of("ip", "-n", twoNamespace), two, twoAddress);
    }

    private static void raise(List<String> command, String link, String address) {
        List<String> name = new ArrayList<>(command);
        name.addAll(List.of("address", "add", address + LENGTH, "dev", link));
        Shell.run(name.toArray(String[]::new));
        List<String> up = new ArrayList<>(command);
        up.addAll(List.of("link", "set", link, "up"));
        Shell.run(up.toArray(String[]::new));
    }

    /** What starts a process at the other end. */
    List<String> prefix() {
        return List.of("ip", "netns", "exec", far);
    }

    InetAddress farAddress() {
        return InetAddress.ofLiteral(FAR);
    }

    void plug() {
        forward('1');
    }

    void pull() {
        forward('0');
    }

    private void forward(char value) {
        Shell.run("ip", "netns", "exec", router, "sh", "-c", "echo " + value + " > /proc/sys/net/ipv4/ip_forward");
    }

    /** The links and the route go with the namespaces. */
    @Override
    public void close() {
        namespaces.forEach(namespace -> Shell.run("ip", "netns", "delete", namespace));
        namespaces.clear();
    }
}
