package io.stag.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ValuesTest {
    @ParameterizedTest
    @CsvSource({"4,4", "64,64", "1k,1024", "64K,65536", "1m,1048576", "1g,1073741824", "0,0"})
    void readsOctetCounts(String text, int octets) {
        assertThat(OctetCount.parse(text)).isEqualTo(octets);
        assertThat(OctetCount.parse(OctetCount.text(octets))).isEqualTo(octets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5k", "2g", "99999999999999999999", "1t"})
    void refusesOtherOctetCounts(String text) {
        assertThatThrownBy(() -> OctetCount.parse(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1:7174,127.0.0.1:7174", "[::1]:5,[0:0:0:0:0:0:0:1]:5", ":80,0.0.0.0:80"})
    void readsEndpoints(String text, String expected) {
        InetSocketAddress address = new Endpoints().convert(text);
        assertThat(Endpoints.text(address)).isIn(expected, "[0:0:0:0:0:0:0:0]:80");
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "host:", "host:x", "host:65536", "::1:5", "host:-1"})
    void refusesOtherEndpoints(String text) {
        assertThatThrownBy(() -> new Endpoints().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void tablesLineUp() {
        Table table = new Table("name", "count", "us");
        table.row("a", "5", "1.25");
        table.row("longer", "12345", "-");
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        table.print(out);
        out.flush();
        assertThat(text.toString().lines())
                .containsExactly("name    count    us", "a           5  1.25", "longer  12345     -");
    }
}
