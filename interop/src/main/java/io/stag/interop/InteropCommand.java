package io.stag.interop;

import io.stag.cli.ExitCode;
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
import picocli.CommandLine.Spec;

/** The interop matrix as a program; {@code interop/run} starts it where it can work. */
@Command(
        name = "interop",
        header = "Runs Stag against Linux siw in a virtual machine and prints a matrix.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no cell is red", "1:a cell is red, or the rig failed", "2:wrong usage"})
public final class InteropCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--rig", required = true, paramLabel = "DIR", description = "Folder of the rig's scripts.")
    private Path rig = Path.of("rig");

    @Option(names = "--list", description = "List the cells and exit.")
    private boolean list;

    @Option(names = "--only", paramLabel = "REGEX", description = "Only cells in whose name this is found.")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Where matrix.json, captures and logs go. Default: target/interop beside the rig's folder.")
    private @Nullable Path output;

    /** For picocli. */
    public InteropCommand() {}

    /** Entry of the process. */
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(
                new CommandLine(new InteropCommand()).setOut(out).setErr(err).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Cell> cells = Catalogue.cells().stream()
                .filter(cell -> only.matcher(cell.name()).find())
                .toList();
        if (list) {
            Table table = new Table("cell", "settings", "who", "link", "siw");
            cells.forEach(cell -> table.row(
                    cell.name(),
                    cell.settings(),
                    cell.role().toString(),
                    cell.link().device(),
                    cell.variant()));
            table.print(spec.commandLine().getOut());
            spec.commandLine().getOut().flush();
            return ExitCode.DONE;
        }
        Path folder =
                (output == null ? rig.toAbsolutePath().resolveSibling("target/interop") : output).toAbsolutePath();
        Files.createDirectories(folder);
        Matrix matrix = run(cells, folder);
        matrix.write(folder.resolve("matrix.json"));
        matrix.print(spec.commandLine().getOut());
        return cells.isEmpty() || matrix.hasRed() ? ExitCode.FAILED : ExitCode.DONE;
    }

    private Matrix run(List<Cell> cells, Path folder) throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        List<CellResult> results = new ArrayList<>();
        try (Rig guest = new Rig(rig, isRoot(), err)) {
            guest.boot();
            CellRunner runner = new CellRunner(guest, folder);
            for (Cell cell : cells) {
                CellResult result = runner.run(cell);
                results.add(result);
                err.println(String.format(
                        Locale.ROOT,
                        "%2d/%d %-5s %s %.1f s %s",
                        results.size(),
                        cells.size(),
                        result.status(),
                        result.cell(),
                        result.seconds(),
                        result.remark()));
            }
        }
        double seconds = ChronoUnit.MILLIS.between(started, Instant.now()) / 1e3;
        return new Matrix(Versions.read(), started.toString(), seconds, results);
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }
}
