package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CaptureReportTest {
    private static final String DUMP = """
        #1 10.77.0.1:48112 > 10.77.0.2:7174
           0.000000 #1 >        0 MPA Request     Rev 2 M=0 C=1 R=0 S=1 PD_Length 4 peer-to-peer RTR Write Read IRD 1 ORD 1
           0.024325 #1 <        0 MPA Reply       Rev 2 M=0 C=1 R=0 S=1 PD_Length 4 peer-to-peer RTR Write IRD 1 ORD 1
           0.136937 #1 >        0 Write           L=1 STag 0x00000000 TO 0x0000000000000000 len 0 CRC ok
           0.312446 #1 >       20 Send            L=1 QN 0 MSN 1 MO 0 len 16 CRC ok
           0.327446 #1 >       60 Write           L=1 STag 0x00000000 TO 0x0000000000000000 len 0 CRC ok
           0.330407 #1 <        0 Terminate       L=1 QN 2 MSN 1 MO 0 len 4 code 0x0100 CRC ok
           0.331000 #1 <       28 stream          -- TCP reset
        FPDUs inside one TCP segment: 2 of 3 from initiators, 1 of 1 from responders
        12 packets, 1 connection with MPA, 7 frames, no anomalies
        """;

    @Test
    void countsFpdusEachWay() {
        CaptureReport report = CaptureReport.ofText(DUMP);
        assertThat(report.connections()).isEqualTo(1);
        assertThat(report.toSiw(Role.STAG_CONNECTS)).isEqualTo(3);
        assertThat(report.fromSiw(Role.STAG_CONNECTS)).isEqualTo(1);
        assertThat(report.toSiw(Role.SIW_CONNECTS)).isEqualTo(1);
        assertThat(report.alignedToSiw(Role.STAG_CONNECTS)).isEqualTo(2);
        assertThat(report.alignedToSiw(Role.SIW_CONNECTS)).isEqualTo(1);
        assertThat(report.isClean()).isTrue();
    }

    @Test
    void tellsNudgesFromTheFirstMessageOfThePeerToPeerModel() {
        assertThat(CaptureReport.ofText(DUMP).nudges()).isEqualTo(1);
        assertThat(CaptureReport.ofText(DUMP.replace("peer-to-peer RTR Write", "client-server RTR none"))
                        .nudges())
                .isEqualTo(2);
    }

    @Test
    void keepsTerminates() {
        assertThat(CaptureReport.ofText(DUMP).terminates())
                .singleElement()
                .asString()
                .startsWith("< Terminate");
    }

    @Test
    void anAnomalyIsNotClean() {
        CaptureReport report =
                CaptureReport.ofText(DUMP.replace("len 16 CRC ok", "len 16 CRC BAD  !! the CRC is wrong"));
        assertThat(report.isClean()).isFalse();
        assertThat(report.anomalies()).singleElement().asString().contains("CRC BAD");
    }
}
