package io.stag.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/** The worked examples in {@code vectors.json}, for the tests of this module and, in its test jar, of others. */
public final class Vectors {
    private static final JsonNode ROOT = load();
    private static final List<Positive> POSITIVE = list("vectors", Positive::of);
    private static final List<Negative> NEGATIVE = list("negative_vectors", Negative::of);

    private Vectors() {}

    /** All octets that are as they should be, whatever their kind. */
    public static List<Positive> positive() {
        return POSITIVE;
    }

    public static Stream<Positive> mpaFrames() {
        return POSITIVE.stream().filter(vector -> vector.kind().startsWith("mpa-"));
    }

    public static Stream<Positive> enhancedMpaFrames() {
        return mpaFrames().filter(vector -> vector.decoded().has("enhanced"));
    }

    public static Stream<Positive> fpdus() {
        return POSITIVE.stream().filter(vector -> vector.kind().equals("fpdu"));
    }

    public static Stream<Positive> taggedFpdus() {
        return fpdus().filter(vector -> vector.ddp().path("T").intValue() == 1);
    }

    public static Stream<Positive> untaggedFpdus() {
        return fpdus().filter(vector -> vector.ddp().path("T").intValue() == 0);
    }

    /** FPDUs with a part such as "read_request", "terminate", "atomic" or "atomic_response". */
    public static Stream<Positive> fpdusWith(String part) {
        return fpdus().filter(vector -> vector.decoded().has(part));
    }

    public static Stream<Positive> markedStreams() {
        return POSITIVE.stream().filter(vector -> vector.kind().equals("marked-stream"));
    }

    /** Octets of a peer that breaks the protocol, with what should be done about it. */
    public static List<Negative> negative() {
        return NEGATIVE;
    }

    public static Positive positive(String id) {
        return POSITIVE.stream()
                .filter(vector -> vector.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    public static Negative negative(String id) {
        return NEGATIVE.stream()
                .filter(vector -> vector.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** A table of the file, such as "crc32c" or "mulpdu". */
    public static Stream<JsonNode> table(String name) {
        return list(name, Function.identity()).stream();
    }

    /** A number written as "0x…" of up to 64 bits. */
    public static long number(JsonNode node) {
        return node.isTextual() ? Long.parseUnsignedLong(node.textValue().substring(2), 16) : node.longValue();
    }

    public static boolean flag(JsonNode node) {
        return node.intValue() == 1;
    }

    /** A vector and what its fields mean. */
    public record Positive(String id, String title, String kind, String hex, JsonNode decoded) {
        static Positive of(JsonNode node) {
            return new Positive(
                    node.path("id").textValue(),
                    node.path("title").textValue(),
                    node.path("kind").textValue(),
                    node.path("hex").textValue(),
                    node.path("decoded"));
        }

        /** The header fields of an FPDU. */
        public JsonNode ddp() {
            return decoded.path("ddp");
        }

        @Override
        public String toString() {
            return id;
        }
    }

    /**
     * A vector that must be refused.
     *
     * @param expectTerminate "0x" and the code of the Terminate, or "close", maybe with a remark
     * @param alsoSeen other codes that implementations use
     */
    public record Negative(
            String id, String title, String hex, String precondition, String expectTerminate, List<String> alsoSeen) {
        static Negative of(JsonNode node) {
            List<String> alsoSeen = new ArrayList<>();
            node.path("also_seen").forEach(code -> alsoSeen.add(code.textValue()));
            return new Negative(
                    node.path("id").textValue(),
                    node.path("title").textValue(),
                    node.path("hex").textValue(),
                    node.path("precondition").textValue(),
                    node.path("expect_terminate").textValue(),
                    List.copyOf(alsoSeen));
        }

        @Override
        public String toString() {
            return id;
        }
    }

    private static <T> List<T> list(String name, Function<JsonNode, T> reader) {
        List<T> result = new ArrayList<>();
        ROOT.path(name).forEach(node -> result.add(reader.apply(node)));
        return List.copyOf(result);
    }

    private static JsonNode load() {
        try (InputStream in = Objects.requireNonNull(Vectors.class.getResourceAsStream("/vectors.json"))) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
