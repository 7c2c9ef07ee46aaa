package io.stag.cli.demo;

import io.stag.cli.CommandFailure;
import io.stag.cli.ExitCode;
import io.stag.cli.Progress;
import io.stag.cli.perf.Comparison;
import io.stag.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stag demo}. */
@Command(
        name = "demo",
        header = "Shows every operation once, verified, and a few figures beside raw TCP.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Opens two software RNICs in this process and connects them over TCP on loopback. Then measures latency and"
                    + " bandwidth between two processes, with plain sockets in the same loop for comparison. Takes less"
                    + " than half a minute and needs no rights."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every operation was verified", "1:one was not", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {"  stag demo", "  stag demo --no-figures"})
public final class DemoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--no-figures", description = "Only the operations, without the measurements.")
    private boolean noFigures;

    private int done;

    /** For picocli. */
    public DemoCommand() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (Pair pair = new Pair()) {
            out.println("Two software RNICs, connected over TCP on loopback:");
            Pair.Ends ends = pair.connect(false);
            for (Step step : steps()) {
                show(step, ends);
            }
            show(new Step("Shared receive queue", MessageSteps::send), pair.connect(true));
            show(new Step("Refused: Read beyond the end", RefusalSteps::refusedRead), pair.connect(false));
        }
        out.println("All " + done + " verified.");
        out.flush();
        if (!noFigures) {
            out.println();
            try (Progress progress = new Progress(spec.commandLine().getErr())) {
                Comparison.print(out, progress);
            }
        }
        return ExitCode.DONE;
    }

    private static List<Step> steps() {
        List<Step> steps = new ArrayList<>(OneSidedSteps.all());
        steps.addAll(MessageSteps.all());
        steps.addAll(AtomicSteps.all());
        steps.addAll(MemorySteps.all());
        return steps;
    }

    private void show(Step step, Pair.Ends ends) {
        PrintWriter out = spec.commandLine().getOut();
        try {
            String seen = step.action().run(ends);
            out.println("  ✓ " + pad(step.title()) + seen);
            out.flush();
            done++;
        } catch (CommandFailure | VerbsException e) {
            out.println("  ✗ " + pad(step.title()) + e.getMessage());
            out.flush();
            throw new CommandFailure(step.title() + " failed", "Please report this, with the line above.", e);
        }
    }

    private static String pad(String title) {
        return title + " ".repeat(Math.max(1, 40 - title.length()));
    }
}
