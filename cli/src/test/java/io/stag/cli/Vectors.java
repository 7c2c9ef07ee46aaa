package io.stag.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The octet vectors that all modules test against. */
public final class Vectors {
    private static final JsonObject FILE = read();

    /** One vector. */
    public record Vector(String id, String kind, byte[] octets, JsonObject json) {
        @Override
        public String toString() {
            return id;
        }
    }

    private Vectors() {}

    /** Vectors that break no rule. */
    public static List<Vector> good() {
        return vectors("vectors");
    }

    /** Good vectors of one kind: mpa-req, mpa-rep, fpdu, marked-stream. */
    public static List<Vector> ofKind(String kind) {
        return good().stream().filter(vector -> vector.kind.equals(kind)).toList();
    }

    /** Vectors that a receiver must refuse. */
    public static List<Vector> negative() {
        return vectors("negative_vectors");
    }

    /** The octets of one vector, good or bad. */
    public static byte[] octets(String id) {
        return Stream.concat(good().stream(), negative().stream())
                .filter(vector -> vector.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no vector " + id))
                .octets;
    }

    private static List<Vector> vectors(String list) {
        JsonArray array = FILE.getAsJsonArray(list);
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .map(Vectors::vector)
                .toList();
    }

    private static Vector vector(JsonObject json) {
        String kind = json.has("kind") ? json.get("kind").getAsString() : "";
        byte[] octets = HexFormat.of().parseHex(json.get("hex").getAsString());
        return new Vector(json.get("id").getAsString(), kind, octets, json);
    }

    private static JsonObject read() {
        try (InputStream in = Objects.requireNonNull(Vectors.class.getResourceAsStream("/vectors.json"))) {
            return JsonParser.parseReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                    .getAsJsonObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
