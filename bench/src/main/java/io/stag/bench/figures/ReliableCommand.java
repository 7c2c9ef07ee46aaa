package io.stag.bench.figures;

import com.google.gson.Gson;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.PrivateNetwork;
import io.stag.bench.figures.PathWorker.Outcome;
import io.stag.bench.figures.PathWorker.Who;
import io.stag.cli.CommandFailure;
import io.stag.cli.ExitCode;
import io.stag.cli.Progress;
import io.stag.cli.perf.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stag figures reliable}. */
@Command(
        name = "reliable",
        header = "Reliable datagrams and TCP on paths with delay, loss and a bottleneck.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Goodput of RDMA Writes over reliable datagrams, beside that of TCP, while 0 to 5 percent of the packets"
                    + " get lost; and what each gets of a path that both use at once.",
            "",
            "The path is made by this program: a TUN device in a network namespace of its own, which needs Linux and"
                    + " the right to make both (root, or user namespaces with /dev/net/tun)."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:failed", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag figures reliable --html reliable.html",
            "  stag figures reliable --loss 1 --rounds 5 --seconds 4",
        })
final class ReliableCommand implements Callable<Integer> {
    private static final double QUEUE_MILLIS = 20;
    private static final double SHARED_TIMES = 5; // as long as the other runs: sharing takes time to settle

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--loss",
            paramLabel = "P[,P...]",
            split = ",",
            description = "Percent of the packets that get lost. Default: ${DEFAULT-VALUE}.")
    private List<Double> losses = List.of(0.0, 0.1, 0.5, 1.0, 2.0, 5.0);

    @Option(
            names = "--delay",
            paramLabel = "MS",
            description = "Milliseconds that a packet takes, each way. Default: ${DEFAULT-VALUE}.")
    private double delay = 2;

    @Option(
            names = "--shared",
            paramLabel = "MBIT",
            description = "Mbit/s of the path that both share; 0 for none. Default: ${DEFAULT-VALUE}.")
    private double shared = 100;

    @Option(names = "--rounds", paramLabel = "N", description = "How often. Default: ${DEFAULT-VALUE}.")
    private int rounds = 3;

    @Option(names = "--seconds", paramLabel = "S", description = "How long each run takes. Default: ${DEFAULT-VALUE}.")
    private double seconds = 4;

    @Mixin
    private FigureOptions output = new FigureOptions();

    @Override
    public Integer call() throws IOException {
        if (rounds < 1 || !(seconds > 0) || !(delay >= 0) || !(shared >= 0)) {
            throw new ParameterException(spec.commandLine(), "numbers must be positive");
        }
        for (double loss : losses) {
            if (!(loss >= 0 && loss < 100)) {
                throw new ParameterException(spec.commandLine(), "--loss " + loss + " is not 0 or more and below 100");
            }
        }
        ReliableFigures figures;
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            figures = measure(progress);
        }
        figures.print(spec.commandLine().getOut());
        output.write(figures, figures::page);
        return ExitCode.DONE;
    }

    private ReliableFigures measure(Progress progress) throws IOException {
        List<ReliableFigures.Row> rows = new ArrayList<>();
        for (double loss : losses) {
            progress.step("loss of " + loss + " %");
            rows.add(ReliableFigures.Row.of(
                    loss, run(PathSpec.losing(loss, delay), seconds, List.of(Who.TCP, Who.RELIABLE))));
        }
        List<Outcome> both = List.of();
        if (shared > 0) {
            progress.step("a path of " + shared + " Mbit/s for both");
            both = run(PathSpec.shaped(shared, delay, QUEUE_MILLIS), SHARED_TIMES * seconds, List.of(Who.BOTH));
        }
        return new ReliableFigures(Machine.here(), rounds, seconds, delay, rows, shared, both);
    }

    private List<Outcome> run(PathSpec path, double runSeconds, List<Who> who) throws IOException {
        List<String> command = new ArrayList<>(PrivateNetwork.with("cubic").prefix());
        if (command.isEmpty()) {
            throw new CommandFailure("no network namespace can be made here", "Run as root, or allow user namespaces.");
        }
        command.addAll(JvmCommand.running(PathWorker.class.getName()));
        command.addAll(List.of(
                Double.toString(path.lossPercent()),
                Double.toString(path.delayMillis()),
                Double.toString(path.megabitPerSecond()),
                Integer.toString(path.queueOctets()),
                Double.toString(runSeconds),
                Integer.toString(rounds)));
        who.forEach(one -> command.add(one.name()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<Outcome> outcomes = new ArrayList<>();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("{")) {
                    outcomes.add(new Gson().fromJson(line, Outcome.class));
                }
            }
        } finally {
            process.destroy();
        }
        if (outcomes.size() != rounds * who.size()) {
            throw new CommandFailure("the process that measures died", "Its own output is above.");
        }
        return outcomes;
    }
}
