package io.stag.cli.perf;

import com.google.gson.Gson;
import io.stag.cli.CommandFailure;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The connection over which client and server agree on what to run: one JSON object per line, either way. */
public final class ControlChannel implements Closeable {
    private static final int MAX_LINE = 1 << 16;
    private static final Gson GSON = new Gson();

    /** What the client wants besides a new run. */
    public enum Order {
        /** Read the meters. */
        METERS,
        /** Tell what the compilers have worked: apart from the meters, as it costs time and memory itself. */
        COMPILERS,
        /** Answer when so many messages have come. */
        DRAIN,
        /** End the run. */
        STOP
    }

    /** An order with its number. */
    public record Request(Order order, long value) {}

    /**
     * Answer of the server.
     *
     * @param error empty when all is well
     * @param port where the run's connections are taken
     * @param meters what the server has used
     * @param arrivals what has arrived, where messages may get lost
     * @param compilerNanos processor time of the server's compilers; 0 unless asked for
     */
    public record Answer(
            String error,
            int port,
            @Nullable Meters meters,
            @Nullable Arrivals arrivals,
            long compilerNanos) {
        static Answer error(String error) {
            return new Answer(error, 0, null, null, 0);
        }

        static Answer port(int port) {
            return new Answer("", port, null, null, 0);
        }
    }

    /**
     * Where a side's buffers are.
     *
     * @param stag of the region
     * @param offset tagged offset of its first octet
     */
    public record Buffers(int stag, long offset) {
        /** A test without remote memory. */
        public static final Buffers NONE = new Buffers(0, 0);
    }

    private final Socket socket;
    private final InputStream in;

    ControlChannel(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        socket.setTcpNoDelay(true);
    }

    /** How long to wait for each message from now on; no limit when zero. */
    void limit(Duration limit) throws IOException {
        socket.setSoTimeout((int) limit.toMillis());
    }

    void send(Object message) throws IOException {
        byte[] line = (GSON.toJson(message) + "\n").getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream().write(line);
    }

    /** The next message; fails when the peer is gone or sent something else. */
    <T> T receive(Class<T> type) throws IOException {
        T message = receiveOrEnd(type);
        if (message == null) {
            throw new CommandFailure("the other side ended the test", "Its own output says why.");
        }
        return message;
    }

    /** The next message, or null when the peer closed the connection. */
    <T> @Nullable T receiveOrEnd(Class<T> type) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            int octet = in.read();
            while (octet >= 0 && octet != '\n' && line.size() < MAX_LINE) {
                line.write(octet);
                octet = in.read();
            }
            if (octet < 0) {
                return null;
            }
        } catch (SocketTimeoutException e) {
            throw new CommandFailure("the other side says nothing", "", e);
        }
        try {
            return GSON.fromJson(line.toString(StandardCharsets.UTF_8), type);
        } catch (RuntimeException e) { // also what the constructor of a record refuses
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(cause.getMessage(), e);
        }
    }

    /** Waits for the answer to something sent before. */
    Answer answer() throws IOException {
        Answer answer = receive(Answer.class);
        if (!answer.error.isEmpty()) {
            throw new CommandFailure("the server: " + answer.error, "");
        }
        return answer;
    }

    /** Sends an order and waits for the answer. */
    public Answer call(Order order, long value) throws IOException {
        send(new Request(order, value));
        return answer();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
