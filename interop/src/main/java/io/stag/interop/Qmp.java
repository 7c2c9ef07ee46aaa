package io.stag.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** QEMU's machine protocol, as far as captures need it: one JSON object per line. */
final class Qmp implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SocketChannel channel;
    private final BufferedReader lines;

    Qmp(Path socket) throws IOException {
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        lines.readLine(); // the greeting
        execute("qmp_capabilities", Map.of());
    }

    /** Captures what passes a network card from now on. */
    void startCapture(String id, Link link, Path file) throws IOException {
        execute(
                "object-add",
                Map.of("qom-type", "filter-dump", "id", id, "netdev", link.device(), "file", file.toString()));
    }

    /** Ends a capture; the file is complete afterwards. */
    void stopCapture(String id) throws IOException {
        execute("object-del", Map.of("id", id));
    }

    private void execute(String command, Map<String, String> arguments) throws IOException {
        String request = JSON.writeValueAsString(Map.of("execute", command, "arguments", arguments));
        channel.write(ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8)));
        JsonNode answer;
        do { // events may come in between
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("QEMU closed its control connection");
            }
            answer = JSON.readTree(line);
        } while (!answer.has("return") && !answer.has("error"));
        if (answer.has("error")) {
            throw new IOException(
                    "QEMU: " + command + ": " + answer.get("error").path("desc").asText());
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
