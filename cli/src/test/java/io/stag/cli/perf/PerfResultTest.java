package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.stag.cli.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerfResultTest {
    @TempDir
    Path folder;

    @Test
    void hasExactlyTheFieldsThatWerePromised() throws IOException {
        Path file = folder.resolve("r.json");
        PerfResult latency = new Samples(SamplesTest.spec(PerfTest.WRITE_LAT, 64)).result(new Meters(1, 1), null);
        PerfResult bandwidth = new Samples(SamplesTest.spec(PerfTest.TCP_BW, 64)).result(new Meters(1, 1), null);
        JsonFile.write(file, List.of(latency, bandwidth));

        JsonArray list = JsonParser.parseString(Files.readString(file)).getAsJsonArray();
        assertThat(list).hasSize(2);
        for (var element : list) {
            assertThat(element.getAsJsonObject().keySet())
                    .containsExactly(
                            "test",
                            "transport",
                            "size",
                            "crc",
                            "markers",
                            "progress",
                            "wait",
                            "path",
                            "connections",
                            "idle_connections",
                            "segment",
                            "depth",
                            "loss",
                            "flow",
                            "rate",
                            "p50_us",
                            "p99_us",
                            "mean_us",
                            "mb_per_s",
                            "msgs_per_s",
                            "cpu_us_per_msg",
                            "alloc_bytes_per_op",
                            "fairness",
                            "samples",
                            "congestion_control",
                            "delivery");
        }
        JsonObject second = list.get(1).getAsJsonObject();
        assertThat(second.get("test").getAsString()).isEqualTo("tcp-bw");
        assertThat(second.get("crc").isJsonNull()).isTrue();
        assertThat(second.get("p50_us").isJsonNull()).isTrue();
    }
}
