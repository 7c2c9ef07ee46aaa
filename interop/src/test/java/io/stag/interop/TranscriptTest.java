package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TranscriptTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Transcript transcript = new Transcript();

    @Test
    void findsTextThatComesInPieces() throws IOException, InterruptedException {
        transcript.write("listening ");
        transcript.write("on 7175\n");
        assertThat(transcript.await("listening on", LONG)).isTrue();
    }

    @Test
    void doesNotWaitForAProgramThatHasEnded() throws IOException, InterruptedException {
        transcript.write("something else");
        transcript.end();
        assertThat(transcript.await("listening on", LONG)).isFalse();
    }

    @Test
    void theTailIsOneLine() throws IOException {
        transcript.write("a\nb\nc\nd\n");
        assertThat(transcript.tail()).isEqualTo("b | c | d");
        assertThat(transcript.lastLine()).isEqualTo("d");
    }
}
