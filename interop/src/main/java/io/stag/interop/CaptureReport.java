package io.stag.interop;

import io.stag.cli.Stag;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code stag dump} finds in a capture. Lines are counted as they come: there may be a million. */
final class CaptureReport extends Writer {
    private static final Pattern FRAME = Pattern.compile("\\s*[\\d.]+ #\\d+ ([<>-])\\s+\\d+ (.*)");
    private static final Pattern ALIGNMENT = Pattern.compile(
            "FPDUs inside one TCP segment: (\\d+) of (\\d+) from initiators, (\\d+) of (\\d+) from responders");
    private static final int KEPT = 20;

    private final StringBuilder line = new StringBuilder();
    private final List<String> anomalies = new ArrayList<>();
    private final List<String> terminates = new ArrayList<>();
    private final List<String> replies = new ArrayList<>();
    private long fromInitiator;
    private long fromResponder;
    private long emptyWritesFromInitiator;
    private long peerToPeer;
    private long connections;
    private long alignedFromInitiator;
    private long alignedFromResponder;
    private String summary = "";
    private int exitCode;

    private CaptureReport() {}

    /** What is in some captures together. */
    static CaptureReport of(List<Path> captures, int port) {
        CaptureReport report = new CaptureReport();
        for (Path capture : captures) {
            int code = Stag.execute(
                    new PrintWriter(report),
                    new PrintWriter(report),
                    "dump",
                    "--port",
                    String.valueOf(port),
                    capture.toString());
            report.exitCode = Math.max(report.exitCode, code);
        }
        return report;
    }

    /** For tests: the report of lines that stag dump printed. */
    static CaptureReport ofText(String text) {
        CaptureReport report = new CaptureReport();
        report.write(text.toCharArray(), 0, text.length());
        return report;
    }

    @Override
    public void write(char[] characters, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (characters[i] == '\n') {
                take(line.toString());
                line.setLength(0);
            } else {
                line.append(characters[i]);
            }
        }
    }

    private void take(String text) {
        Matcher frame = FRAME.matcher(text);
        if (frame.matches()) {
            take(frame.group(1).equals(">"), frame.group(2), text.strip());
            return;
        }
        Matcher alignment = ALIGNMENT.matcher(text);
        if (alignment.matches()) {
            alignedFromInitiator += Long.parseLong(alignment.group(1));
            alignedFromResponder += Long.parseLong(alignment.group(3));
        } else if (text.startsWith("#")) {
            connections++;
        } else if (text.contains(" packets")) {
            summary = text;
        }
    }

    private void take(boolean initiators, String message, String text) {
        if (text.contains("!!")) {
            keep(anomalies, text);
        }
        if (message.startsWith("MPA Reply")) {
            keep(replies, message);
            peerToPeer += message.contains(" peer-to-peer RTR Write") && message.contains(" R=0 ") ? 1 : 0;
        }
        if (message.startsWith("MPA ") || message.startsWith("stream ")) {
            return;
        }
        if (initiators) {
            fromInitiator++;
            emptyWritesFromInitiator += message.startsWith("Write ") && message.contains(" len 0 ") ? 1 : 0;
        } else {
            fromResponder++;
        }
        if (message.startsWith("Terminate")) {
            keep(terminates, (initiators ? "> " : "< ") + message);
        }
    }

    private static void keep(List<String> list, String text) {
        if (list.size() < KEPT) {
            list.add(text);
        }
    }

    /** Whether the file could be read to its end, and nothing in it breaks a rule. */
    boolean isClean() {
        return exitCode == 0 && anomalies.isEmpty();
    }

    /** Lines with an anomaly, the first ones. */
    List<String> anomalies() {
        return anomalies;
    }

    /** Terminate messages, the first ones, with their direction. */
    List<String> terminates() {
        return terminates;
    }

    /** MPA Replies, the first ones. */
    List<String> replies() {
        return replies;
    }

    long connections() {
        return connections;
    }

    /** FPDUs from Stag to siw. */
    long toSiw(Role role) {
        return role == Role.STAG_CONNECTS ? fromInitiator : fromResponder;
    }

    /** FPDUs from siw to Stag. */
    long fromSiw(Role role) {
        return role == Role.STAG_CONNECTS ? fromResponder : fromInitiator;
    }

    /** FPDUs from Stag that lie inside one TCP segment. */
    long alignedToSiw(Role role) {
        return role == Role.STAG_CONNECTS ? alignedFromInitiator : alignedFromResponder;
    }

    /** RDMA Writes without payload from the initiator that are not the first message of the peer-to-peer model. */
    long nudges() {
        return emptyWritesFromInitiator - peerToPeer;
    }

    /** The last line of the dump. */
    String summary() {
        return summary;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
