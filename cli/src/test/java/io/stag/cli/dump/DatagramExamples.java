package io.stag.cli.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.stag.wire.Crc32c;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The worked examples in {@code datagram-vectors.json}, by name. */
final class DatagramExamples {
    private DatagramExamples() {}

    static Map<String, byte[]> unreliable() {
        return read("vectors");
    }

    static Map<String, byte[]> reliable() {
        return read("reliable");
    }

    private static Map<String, byte[]> read(String list) {
        InputStreamReader file = new InputStreamReader(
                Objects.requireNonNull(DatagramExamples.class.getResourceAsStream("/datagram-vectors.json")),
                StandardCharsets.UTF_8);
        Map<String, byte[]> vectors = new LinkedHashMap<>();
        for (JsonElement element :
                JsonParser.parseReader(file).getAsJsonObject().getAsJsonArray(list)) {
            JsonObject vector = element.getAsJsonObject();
            vectors.put(
                    vector.get("id").getAsString(),
                    HexFormat.of().parseHex(vector.get("hex").getAsString()));
        }
        return vectors;
    }

    /** Makes the CRC right again. */
    static byte[] withCrc(byte[] datagram) {
        MemorySegment memory = MemorySegment.ofArray(datagram);
        Crc32c crc = new Crc32c();
        crc.update(memory, 0, datagram.length - Crc32c.LENGTH);
        Crc32c.putWire(memory, datagram.length - Crc32c.LENGTH, crc.value());
        return datagram;
    }
}
