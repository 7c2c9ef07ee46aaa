package io.stag.bench.figures;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stag figures}. */
@Command(
        name = "figures",
        header = "Runs experiments of papers again, beside what the papers found.",
        mixinStandardHelpOptions = true,
        synopsisHeading = "Usage: ",
        synopsisSubcommandLabel = "FIGURE",
        descriptionHeading = "%n",
        description = {
            "The papers so far: Dalessandro, Devulapalli, Wyckoff, Design and Implementation of the iWarp Protocol in"
                    + " Software, 2005, which ran in user space on 2.8 GHz Pentium 4 Xeons and Gigabit Ethernet. Times"
                    + " cannot be compared with it; ratios to TCP on the same machine can. And Grant, Rashti, Balaji,"
                    + " Afsahi, Scalable connectionless RDMA over unreliable datagrams, 2015, on 10 Gigabit Ethernet."
        },
        subcommands = {LoadCommand.class, OscTable1Command.class, DatagramCommand.class, ReliableCommand.class},
        commandListHeading = "%nFigures:%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:failed", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag figures osc-table1 --html table1.html",
            "  stag figures load --json load.json --html load.html",
            "  stag figures datagram --html datagram.html",
            "  stag figures reliable --html reliable.html"
        })
public final class FiguresCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** For picocli. */
    public FiguresCommand() {}

    /** Without a figure: the help. */
    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        spec.commandLine().usage(out);
        out.flush();
    }
}
