package io.stag.wire.datagram;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** The worked examples in {@code datagram-vectors.json}, made by another program than ours. */
public final class DatagramVectors {
    private DatagramVectors() {}

    /** A datagram and what its fields mean. */
    public record Vector(String id, String hex, JsonNode decoded) {
        public boolean isTagged() {
            return number("T") == 1;
        }

        /** A field that is a number or a text with "0x". */
        public long number(String field) {
            return parse(decoded.path(field));
        }

        /** A field of 32 bits or fewer. */
        public int integer(String field) {
            return (int) number(field);
        }

        public List<Long> numbers(String field) {
            List<Long> numbers = new ArrayList<>();
            decoded.path(field).forEach(node -> numbers.add(parse(node)));
            return numbers;
        }

        /** What stands in the vector, or the pattern that begins every message. */
        public byte[] payload() {
            if (decoded.has("payload")) {
                return HexFormat.of().parseHex(decoded.path("payload").textValue());
            }
            byte[] payload = new byte[integer("payload_length")];
            for (int i = 0; i < payload.length; i++) {
                payload[i] = (byte) (i * 7 + 1);
            }
            return payload;
        }

        private static long parse(JsonNode node) {
            return node.isTextual() ? Long.parseUnsignedLong(node.textValue().substring(2), 16) : node.longValue();
        }

        @Override
        public String toString() {
            return id;
        }
    }

    /** Unreliable datagrams. */
    public static List<Vector> all() {
        return read("vectors");
    }

    /** Reliable ones. */
    public static List<Vector> reliable() {
        return read("reliable");
    }

    private static List<Vector> read(String list) {
        List<Vector> vectors = new ArrayList<>();
        try (InputStream in =
                Objects.requireNonNull(DatagramVectors.class.getResourceAsStream("/datagram-vectors.json"))) {
            new ObjectMapper()
                    .readTree(in)
                    .path(list)
                    .forEach(node -> vectors.add(new Vector(
                            node.path("id").textValue(), node.path("hex").textValue(), node.path("decoded"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return vectors;
    }
}
