package io.stag.interop;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A command that runs in the guest, or a script on the host. */
final class GuestRun implements Run {
    private final String name;
    private final Process process;
    private final Transcript transcript = new Transcript();
    private final Thread reader;

    GuestRun(String name, ProcessBuilder command) {
        this.name = name;
        try {
            process = command.redirectErrorStream(true).start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = Thread.ofVirtual().name("stag-interop-reader").start(this::read);
    }

    private void read() {
        try (Reader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.transferTo(transcript);
        } catch (IOException e) {
            transcript.write(("\noutput lost: " + e.getMessage()).toCharArray(), 0, 0);
        } finally {
            transcript.end();
        }
    }

    @Override
    public Transcript transcript() {
        return transcript;
    }

    @Override
    public int await(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new CellFailure(this + " did not end within " + limit.toSeconds() + " s: " + transcript.tail());
        }
        reader.join();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
    }

    @Override
    public String toString() {
        return name;
    }
}
