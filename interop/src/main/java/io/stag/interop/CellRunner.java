package io.stag.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Runs one cell: guest made ready, capture on, work, capture off and judged. */
final class CellRunner {
    private static final double NANOS = 1e9;

    private final Rig rig;
    private final Path folder;
    private final Consumer<String> progress;

    CellRunner(Rig rig, Path folder, Consumer<String> progress) {
        this.rig = rig;
        this.folder = folder;
        this.progress = progress;
    }

    CellResult run(Cell cell) throws InterruptedException {
        long start = System.nanoTime();
        if (cell.link() == Link.TAP && !rig.hasTap()) {
            return result(cell, new Outcome(Status.RED, 0, "needs root: TCP end to end runs over a tap device"), start);
        }
        Outcome outcome;
        CaptureReport report = null;
        Captures captures = new Captures(rig, cell, folder);
        try (Stage stage = new Stage(rig, cell, folder, captures, progress)) {
            rig.reset(cell.variant());
            captures.start();
            outcome = work(cell, stage);
            captures.stop();
            Files.writeString(stage.file("log"), stage.transcripts());
            report = captures.report();
            outcome = judged(cell, outcome, report);
            String fault = rig.kernelFault();
            if (!fault.isEmpty()) {
                outcome = new Outcome(
                        outcome.status(), outcome.iterations(), outcome.remark() + " [guest: " + fault + "]");
            }
        } catch (IOException | CellFailure e) {
            outcome = new Outcome(Status.RED, 0, "the rig failed: " + text(e));
        }
        return report == null
                ? result(cell, outcome, start)
                : new CellResult(
                        cell.name(),
                        cell.settings(),
                        cell.role().toString(),
                        cell.link().device(),
                        cell.variant(),
                        outcome.status(),
                        outcome.iterations(),
                        report.toSiw(cell.role()),
                        report.fromSiw(cell.role()),
                        report.alignedToSiw(cell.role()),
                        (System.nanoTime() - start) / NANOS,
                        captures.names(),
                        remark(cell, outcome, report));
    }

    private static String remark(Cell cell, Outcome outcome, CaptureReport report) {
        List<String> remarks = new ArrayList<>();
        if (!outcome.remark().isEmpty()) {
            remarks.add(outcome.remark());
        }
        if (cell.wire() != Cell.Wire.CLEAN) { // what it sends on purpose needs no telling
            return String.join("; ", remarks);
        }
        long nudges = report.nudges();
        if (cell.role() == Role.STAG_CONNECTS && nudges > 0) {
            remarks.add(nudges + " nudges in " + report.connections() + " connections");
        }
        remarks.addAll(report.terminates());
        return String.join("; ", remarks);
    }

    private static Outcome work(Cell cell, Stage stage) throws InterruptedException {
        try {
            return cell.work().run(stage);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // whatever it is, the other cells go on
            return new Outcome(Status.RED, 0, text(e));
        }
    }

    private static Outcome judged(Cell cell, Outcome outcome, CaptureReport report) {
        if (outcome.status() == Status.RED) {
            return outcome;
        }
        String wrong = switch (cell.wire()) {
            case CLEAN ->
                report.connections() == 0
                        ? "the capture shows no connection"
                        : report.isClean() ? "" : "the capture shows " + report.anomalies();
            case BROKEN_OFF -> report.connections() == 0 ? "the capture shows no connection" : "";
            case ANY -> "";
        };
        long least = Math.min(report.toSiw(cell.role()), report.fromSiw(cell.role()));
        if (wrong.isEmpty() && least < cell.leastFpdus()) {
            wrong = "only " + least + " FPDUs one way";
        }
        return wrong.isEmpty() ? outcome : new Outcome(Status.RED, outcome.iterations(), wrong);
    }

    private static CellResult result(Cell cell, Outcome outcome, long start) {
        return new CellResult(
                cell.name(),
                cell.settings(),
                cell.role().toString(),
                cell.link().device(),
                cell.variant(),
                outcome.status(),
                outcome.iterations(),
                0,
                0,
                0,
                (System.nanoTime() - start) / NANOS,
                "",
                outcome.remark());
    }

    private static String text(Exception e) {
        return e instanceof CellFailure
                ? Objects.requireNonNullElse(e.getMessage(), "failed")
                : e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
