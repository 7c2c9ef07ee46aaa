package io.stag.interop;

import java.io.Writer;
import java.time.Duration;
import java.util.List;

/** Collects what a program prints; another thread may wait for a text to appear in it. */
final class Transcript extends Writer {
    private final StringBuilder text = new StringBuilder();
    private boolean ended;

    @Override
    public synchronized void write(char[] characters, int offset, int length) {
        text.append(characters, offset, length);
        notifyAll();
    }

    /** Waits until {@code wanted} was printed. @return false when the program ended, or the time was over, before that */
    synchronized boolean await(String wanted, Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (text.indexOf(wanted) < 0) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (ended || millis <= 0) {
                return false;
            }
            wait(millis);
        }
        return true;
    }

    /** The program has ended. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}

    @Override
    public synchronized String toString() {
        return text.toString();
    }

    /** The last line. */
    String lastLine() {
        String all = toString().strip();
        return all.substring(all.lastIndexOf('\n') + 1);
    }

    /** The last lines, in one: for the reason of a failure. */
    String tail() {
        List<String> lines = toString().strip().lines().toList();
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }
}
