package io.stag.cli.dump;

import io.stag.wire.mpa.Fpdu;
import java.util.HexFormat;

/** What an FPDU says about itself: CRC, Markers, length (RFC 5044, section 4). */
final class FramingText {
    private static final HexFormat HEX = HexFormat.of();

    private FramingText() {}

    static void describe(FpduDecoder fpdu, int wireLength, boolean crc, Frame.Builder frame) {
        frame.summary.append(!crc ? " CRC off" : fpdu.isCrcRight() ? " CRC ok" : " CRC BAD");
        if (crc && !fpdu.isCrcRight()) {
            frame.anomaly(
                    "CRC field 0x" + HEX.toHexDigits(fpdu.crcField()) + ", computed 0x"
                            + HEX.toHexDigits(fpdu.crcComputed()) + ", Terminate 0x2002",
                    "RFC 5044 §4.4");
        }
        for (FpduDecoder.WrongMarker marker : fpdu.wrongMarkers()) {
            frame.anomaly(
                    "Marker at " + Integer.toUnsignedString(marker.position()) + " points " + marker.pointer()
                            + " back instead of " + marker.expected() + ", Terminate 0x2003",
                    "RFC 5044 §4.3");
        }
        if (fpdu.ulpduLength() > Fpdu.MAX_ULPDU) {
            frame.anomaly("ULPDU_Length " + fpdu.ulpduLength() + " is above " + Fpdu.MAX_ULPDU, "RFC 5044 §3");
        }
        if (frame.wantsDetails()) {
            frame.detail("FPDU of " + wireLength + " octets: ULPDU_Length " + fpdu.ulpduLength() + ", pad "
                    + Fpdu.pad(fpdu.ulpduLength()) + ", Markers " + fpdu.markerCount() + ", CRC field 0x"
                    + HEX.toHexDigits(fpdu.crcField()) + ", computed 0x" + HEX.toHexDigits(fpdu.crcComputed()));
        }
    }
}
