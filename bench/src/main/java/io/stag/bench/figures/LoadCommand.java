package io.stag.bench.figures;

import io.stag.bench.compare.Bench;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.MethodOptions;
import io.stag.cli.ExitCode;
import io.stag.cli.Progress;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stag figures load}. */
@Command(
        name = "load",
        header = "How much a transfer slows down a counter in the background, beside TCP.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "The system-load experiment of the paper: a counter of the lowest priority runs on the processors of the"
                    + " sender, and another on those of the receiver; what they lose while messages of 68 KiB or 4 KiB"
                    + " are sent is the load. TCP, Stag without CRC and Stag with CRC send at the same rate, blocking."
                    + " Without --rate it is the one at which TCP loads its sender with 35 percent, as in the paper.",
            "",
            "The paper found 35 (TCP), 50 (no CRC) and 70 percent (CRC) at the sender of 68 kB messages, 20 and 40"
                    + " points above TCP at the sender of 4 kB messages, and about 90 percent at every receiver."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:failed", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {"  stag figures load --html load.html", "  stag figures load --rate 125 --seconds 2"})
final class LoadCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private MethodOptions method = new MethodOptions(5, 0.5); // a load shows only after a while

    @Option(
            names = "--rate",
            paramLabel = "MB/S",
            description = "Millions of octets that everybody sends in a second. Default: chosen, see above.")
    private double rate;

    @Mixin
    private FigureOptions output = new FigureOptions();

    @Override
    public Integer call() throws IOException {
        method.check(spec);
        if (!(rate >= 0)) {
            throw new ParameterException(spec.commandLine(), "--rate is negative");
        }
        LoadFigure figure;
        try (Progress progress = new Progress(spec.commandLine().getErr());
                CounterProcess sender = new CounterProcess(false);
                CounterProcess receiver = new CounterProcess(true);
                Bench bench = method.bench()) {
            figure = new LoadExperiment(bench, sender, receiver, method.seconds(), progress)
                    .run(Machine.here(), method.rounds(), rate);
        }
        figure.print(spec.commandLine().getOut());
        output.write(figure, figure::page);
        return ExitCode.DONE;
    }
}
