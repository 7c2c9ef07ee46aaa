package io.stag.bench;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Somebody who connects to our port and is no RDMA peer. */
enum Stranger {
    /** A web browser. */
    HTTP("HTTP request"),
    /** The same, with TLS. */
    TLS("TLS ClientHello"),
    /** Anything. */
    RANDOM("random octets"),
    /** Begins a Request and sends one octet a second, to hold the connection open as long as it can. */
    SLOW("one octet a second"),
    /** Connects and says nothing. */
    SILENT("says nothing");

    private static final int RANDOM_LENGTH = 64;
    // TLS 1.2 record with the beginning of a ClientHello
    private static final String CLIENT_HELLO = "16030100c8010000c40303" + "5a".repeat(32) + "20" + "a5".repeat(32);

    final String text;

    Stranger(String text) {
        this.text = text;
    }

    /** All that it has to say. */
    byte[] octets(SplittableRandom random) {
        return switch (this) {
            case HTTP -> "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            case TLS -> HexFormat.of().parseHex(CLIENT_HELLO);
            case RANDOM -> {
                byte[] octets = new byte[RANDOM_LENGTH];
                random.nextBytes(octets);
                yield octets;
            }
            case SLOW -> "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
            case SILENT -> new byte[0];
        };
    }

    /** Whether it lets a second pass between octets. */
    boolean drips() {
        return this == SLOW;
    }
}
