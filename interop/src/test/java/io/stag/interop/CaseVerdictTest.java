package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaseVerdictTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "conforms  |                                             | true  | false",
                "allowed   | the right layer                             | true  | false",
                "VIOLATION | due was Terminate 0x0109                    | true  | true",
                "skipped   | the peer asks for no Markers                | true  | false",
                "skipped   | the peer announced no buffer; is it rping?  | false | false",
                "FAILED    | no connection                               | false | false",
            })
    void onlyWhatHasNoResultIsUnknown(String verdict, String reason, boolean known, boolean peersFault) {
        CaseVerdict one = verdict(verdict, reason == null ? "" : reason);
        assertThat(one.isKnown()).isEqualTo(known);
        assertThat(one.isPeersFault()).isEqualTo(peersFault);
    }

    @Test
    void aBrokenKernelIsThePeersFault() {
        CaseVerdict one = verdict("conforms", "").withKernelFault("kernel BUG at drivers/infiniband/core/iwcm.c");
        assertThat(one.isPeersFault()).isTrue();
        assertThat(MisbehavePage.counts(List.of(one))).isEqualTo("1 conforms; 1 broke siw's kernel");
    }

    private static CaseVerdict verdict(String verdict, String reason) {
        return new CaseVerdict("x", "", "", "", List.of(), "", "", verdict, reason, List.of(), "");
    }
}
