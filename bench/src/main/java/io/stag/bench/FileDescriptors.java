package io.stag.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The open files of this process, where the operating system shows them. */
final class FileDescriptors {
    private static final Path FOLDER = Path.of("/proc/self/fd");

    private FileDescriptors() {}

    /**
     * Makes the JDK open what it opens once and keeps: for closing sockets, and for blocking calls of virtual threads.
     */
    static void warmUp() {
        Thread thread = Thread.ofVirtual().name("warm-up").start(() -> {
            try (ServerSocketChannel server = ServerSocketChannel.open();
                    Selector selector = Selector.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                selector.select(1);
                try (SocketChannel client = SocketChannel.open(server.getLocalAddress());
                        SocketChannel accepted = server.accept()) {
                    client.socket().setSoTimeout(1);
                    int octet = client.socket().getInputStream().read();
                    throw new Program.Failure("received " + octet + " from " + accepted);
                } catch (SocketTimeoutException _) {
                    // it waited, which is all that was wanted
                }
            } catch (IOException e) {
                throw new Program.Failure("no sockets", e);
            }
        });
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new Program.Failure("interrupted", e);
        }
    }

    static boolean isKnown() {
        return Files.isDirectory(FOLDER);
    }

    /** By number, what each one is. Empty where it cannot be known. */
    static Map<String, String> open() {
        Map<String, String> open = new TreeMap<>();
        if (!isKnown()) {
            return open;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(FOLDER)) {
            for (Path entry : entries) {
                String target = read(entry);
                if (isOfInterest(target)) {
                    open.put(entry.getFileName().toString(), target);
                }
            }
        } catch (IOException e) {
            throw new Program.Failure("cannot list " + FOLDER, e);
        }
        return open;
    }

    private static String read(Path entry) {
        try {
            return Files.readSymbolicLink(entry).toString();
        } catch (IOException _) {
            return ""; // closed meanwhile, as the one of the listing itself
        }
    }

    /** Sockets, pipes, epoll and event descriptors; the JVM opens files of its own when it likes. */
    private static boolean isOfInterest(String target) {
        return target.startsWith("socket:") || target.startsWith("pipe:") || target.startsWith("anon_inode:");
    }
}
