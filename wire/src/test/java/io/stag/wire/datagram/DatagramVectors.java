package io.stag.wire.datagram;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
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
            JsonNode node = decoded.path(field);
            return node.isTextual() ? Long.parseUnsignedLong(node.textValue().substring(2), 16) : node.longValue();
        }

        @Override
        public String toString() {
            return id;
        }
    }

    public static List<Vector> all() {
        List<Vector> vectors = new ArrayList<>();
        try (InputStream in =
                Objects.requireNonNull(DatagramVectors.class.getResourceAsStream("/datagram-vectors.json"))) {
            new ObjectMapper()
                    .readTree(in)
                    .path("vectors")
                    .forEach(node -> vectors.add(new Vector(
                            node.path("id").textValue(), node.path("hex").textValue(), node.path("decoded"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return vectors;
    }
}
