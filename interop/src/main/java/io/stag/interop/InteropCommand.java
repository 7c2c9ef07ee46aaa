package io.stag.interop;

import io.stag.cli.ExitCode;
import io.stag.cli.Progress;
import io.stag.cli.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The interop matrix as a program; {@code interop/run} starts it where it can work. */
@Command(
        name = "stag interop",
        header = "Runs Stag against Linux siw in a virtual machine and prints a matrix.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Each cell is one combination of program, roles and settings, with what must come out of it. Its capture"
                + " and what both sides printed are kept. The guest is a Linux with siw, the kernel's own iWARP, and"
                + " rdma-core; the first run makes its image from Debian packages, which needs root and two minutes."
                + " What is missing on this host is installed as root, else named.",
            "",
            "Cells on the link 'user' need no root. Those on the link 'tap' have TCP end to end and need it; everything"
                    + " then runs in a network namespace of its own. A cell that cannot be run is red.",
            "",
            "Results: green; red, Stag's fault or nobody knows yet; peer, failed by a fault of the peer that the"
                    + " capture shows; none, cannot work with this peer and was seen to fail as it should."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no cell is red", "1:a cell is red, or the rig failed", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag interop                          everything, some ten minutes",
            "  stag interop --list                   which cells there are",
            "  stag interop --only rping/client/plain",
            "  stag interop --only 'path|fault' --json result.json",
            "  stag dump interop/target/interop/rping-client-plain.pcap",
            "  stag interop --docs docs              a full run, and its tables into the documentation"
        })
public final class InteropCommand implements Callable<Integer> {
    private static final String MATRIX = "matrix.json";

    @Spec
    private CommandSpec spec;

    @Option(names = "--rig", required = true, hidden = true, description = "Folder of the rig's scripts.")
    private Path rig = Path.of("rig");

    @Option(names = "--list", description = "List the cells and exit.")
    private boolean list;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Only cells in whose name this is found: a cell, or a group such as 'rping/server'.")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Where " + MATRIX + ", captures and logs go. Default: interop/target/interop.")
    private @Nullable Path output;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the matrix there, too, as JSON.")
    private @Nullable Path json;

    @Option(
            names = "--docs",
            paramLabel = "DIR",
            description =
                    "Put the tables into interop.md and interop-siw-misbehave.md of this folder: the matrix after a"
                            + " run of all cells, the cases of stag misbehave after a run of theirs.")
    private @Nullable Path docs;

    @Option(names = "--from", paramLabel = "DIR", description = "Run nothing, take the results of an earlier run.")
    private @Nullable Path from;

    /** For picocli. */
    public InteropCommand() {}

    /** Entry of the process. */
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(execute(out, err, args));
    }

    static int execute(PrintWriter out, PrintWriter err, String... args) {
        return new CommandLine(new InteropCommand())
                .setOut(out)
                .setErr(err)
                .setExecutionExceptionHandler((failure, _, _) -> {
                    err.println("stag interop: "
                            + (failure instanceof CellFailure || failure instanceof IOException
                                    ? failure.getMessage()
                                    : failure.toString()));
                    return ExitCode.FAILED;
                })
                .execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Cell> cells = Catalogue.cells().stream()
                .filter(cell -> only.matcher(cell.name()).find())
                .toList();
        if (cells.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "No cell has '" + only + "' in its name; --list shows their names");
        }
        if (list) {
            list(cells);
            return ExitCode.DONE;
        }
        Path folder = from == null ? folder() : from;
        Matrix matrix = from == null ? run(cells, folder) : Matrix.read(folder.resolve(MATRIX));
        if (json != null) {
            matrix.write(json);
        }
        if (docs != null) {
            Documentation.write(docs, matrix, folder);
        }
        matrix.print(spec.commandLine().getOut());
        return matrix.hasRed() ? ExitCode.FAILED : ExitCode.DONE;
    }

    private void list(List<Cell> cells) {
        Table table = new Table("cell", "settings", "who", "link", "siw");
        cells.forEach(cell -> table.row(
                cell.name(),
                cell.settings(),
                cell.role().toString(),
                cell.link().device(),
                cell.variant()));
        table.print(spec.commandLine().getOut());
        spec.commandLine().getOut().flush();
    }

    private Path folder() throws IOException {
        Path folder =
                (output == null ? rig.toAbsolutePath().resolveSibling("target/interop") : output).toAbsolutePath();
        return Files.createDirectories(folder);
    }

    private Matrix run(List<Cell> cells, Path folder) throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        List<CellResult> results = new ArrayList<>();
        Progress progress = new Progress(err); // wiped after each cell, not only at the end
        try (Rig guest = new Rig(rig, isRoot(), err)) {
            guest.boot();
            CellRunner runner = new CellRunner(guest, folder, progress::step);
            for (Cell cell : cells) {
                String number = (results.size() + 1) + "/" + cells.size();
                progress.step(number + " " + cell.name() + ", " + cell.settings());
                CellResult result = runner.run(cell);
                results.add(result);
                progress.close();
                err.println(String.format(
                        Locale.ROOT,
                        "%5s %-5s %s %.1f s %s",
                        number,
                        result.status(),
                        result.cell(),
                        result.seconds(),
                        result.remark()));
            }
        } finally {
            progress.close();
        }
        double seconds = ChronoUnit.MILLIS.between(started, Instant.now()) / 1e3;
        Matrix matrix = new Matrix(Versions.read(), started.toString(), seconds, results);
        matrix.write(folder.resolve(MATRIX));
        return matrix;
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }
}
