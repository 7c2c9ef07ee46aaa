package io.stag.bench.figures;

import io.stag.bench.compare.Machine;
import io.stag.bench.compare.MethodOptions;
import io.stag.cli.ExitCode;
import io.stag.cli.OctetCount;
import io.stag.cli.Progress;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stag figures datagram}. */
@Command(
        name = "datagram",
        header = "Datagram-iWARP: latency, bandwidth, multicast, and what loss does.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Figures 5 to 9 of the paper: latency and bandwidth beside connections and bare UDP; what 1 to 3 members"
                    + " of a multicast group get together; Send/Receive and Write-Record while 0, 0.1, 0.5, 1 and 5"
                    + " percent of the packets get lost, in segments of one MTU and in datagrams of 64 KiB as in the"
                    + " paper.",
            "",
            "Packets are lost by nftables in a network namespace, where the user may make one and nft is installed,"
                + " else by a relay; the output says which. The paper found UD Send 18.1 and Write-Record 24.4 percent"
                + " faster than RC up to 2 kB, 33.4 and 256 percent more bandwidth at 256 and 512 kB, and a"
                + " catastrophic loss of large messages."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:failed, or not all was measured", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag figures datagram --html datagram.html",
            "  stag figures datagram --only 8,9 --rounds 1 --seconds 0.2"
        })
final class DatagramCommand implements Callable<Integer> {
    private static final List<Integer> LATENCY_SIZES =
            List.of(4, 64, 256, 1 << 10, 2 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10);
    private static final List<Integer> BANDWIDTH_SIZES =
            List.of(64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20);
    private static final List<Integer> GROUP_SIZES = List.of(1 << 10, 8 << 10, 64 << 10, 256 << 10);
    private static final List<Integer> LOSS_SIZES = List.of(1 << 10, 8 << 10, 60_000, 256 << 10, 1 << 20);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--only",
            paramLabel = "N[,N...]",
            split = ",",
            description = "Only these figures of the paper. Default: 5,6,7,8,9.")
    private List<Integer> only = DatagramFigures.ALL;

    @Option(
            names = "--size",
            paramLabel = "N[,N...]",
            split = ",",
            converter = OctetCount.class,
            description = "Octets per message. Default: several for each figure.")
    private @Nullable List<Integer> sizes;

    @Mixin
    private MethodOptions method = new MethodOptions();

    @Mixin
    private FigureOptions output = new FigureOptions();

    @Override
    public Integer call() throws IOException {
        method.check(spec);
        if (!DatagramFigures.ALL.containsAll(only)) {
            throw new ParameterException(spec.commandLine(), "--only " + only + " is not among " + DatagramFigures.ALL);
        }
        try {
            sizesOr(List.of()).forEach(size -> RunSpec.of(PerfTest.WRITE_RECORD_BW, size));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        DatagramFigures figures;
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            figures = measure(progress);
        }
        figures.print(spec.commandLine().getOut());
        output.write(figures, figures::page);
        return figures.isComplete() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private DatagramFigures measure(Progress progress) throws IOException {
        DatagramExperiment experiment = new DatagramExperiment(method.rounds(), method.seconds(), progress);
        if (only.contains(DatagramFigures.LATENCY)) {
            experiment.compare(DatagramFigures.LATENCY, method, sizesOr(LATENCY_SIZES));
        }
        if (only.contains(DatagramFigures.BANDWIDTH)) {
            experiment.compare(DatagramFigures.BANDWIDTH, method, sizesOr(BANDWIDTH_SIZES));
        }
        if (only.contains(DatagramFigures.GROUP)) {
            experiment.group(sizesOr(GROUP_SIZES));
        }
        List<Integer> lossy = only.stream()
                .filter(figure -> figure >= DatagramFigures.SEND_LOSS)
                .sorted()
                .toList();
        String lossBy = lossy.isEmpty() ? "" : experiment.loss(lossy, sizesOr(LOSS_SIZES), method.pinned());
        return DatagramFigures.of(
                Machine.here(), method.rounds(), method.seconds(), lossBy, experiment.rows(), experiment.absent());
    }

    private List<Integer> sizesOr(List<Integer> usual) {
        return sizes == null ? usual : sizes;
    }
}
