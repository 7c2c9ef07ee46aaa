package io.stag.bench.figures;

import io.stag.bench.compare.Cell;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.MethodOptions;
import io.stag.bench.compare.Rounds;
import io.stag.cli.ExitCode;
import io.stag.cli.Progress;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stag figures osc-table1}. */
@Command(
        name = "osc-table1",
        header = "Latency of RDMA Writes of 4 octets and 64 KiB, CRC off and on, beside TCP.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Table 1 of the paper: half the round trip of RDMA Writes, each side polling the last octet of its buffer,"
                    + " and of TCP. The paper gives the mean of 50 round trips; here it is the median of as many as"
                    + " fit the time, the middle one of many turns. The paper found 1.10 times TCP at"
                    + " 64 KiB without CRC, 2.24 times with CRC, and no difference at 4 octets."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:failed, or not all was measured", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {"  stag figures osc-table1", "  stag figures osc-table1 --rounds 60 --html table1.html"})
final class OscTable1Command implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private MethodOptions method = new MethodOptions();

    @Mixin
    private FigureOptions output = new FigureOptions();

    @Override
    public Integer call() throws IOException {
        method.check(spec);
        Rounds rounds;
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            rounds = method.measure(OscTable1.runs().stream().map(Cell::timed).toList(), progress);
        }
        OscTable1 table = OscTable1.of(Machine.here(), method.describe(rounds), rounds);
        table.print(spec.commandLine().getOut());
        rounds.notMeasured().forEach(spec.commandLine().getOut()::println);
        output.write(table, table::page);
        return table.isComplete() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
