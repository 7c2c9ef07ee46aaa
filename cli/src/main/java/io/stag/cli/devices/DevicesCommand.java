package io.stag.cli.devices;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.stag.cli.ExitCode;
import io.stag.cli.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stag devices}. */
@Command(
        name = "devices",
        header = "Shows which RNICs are here, what they can do at most, and what they run on.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Lists the providers on the class path; each is opened once to ask for its limits.",
            "Without native access everything works, through java.nio; the launcher ./stag grants it, a program of"
                    + " yours does with --enable-native-access."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:at least one RNIC can be used", "1:none", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {"  stag devices", "  stag devices --json | jq .devices[0].limits"})
public final class DevicesCommand implements Callable<Integer> {
    private static final Gson GSON =
            new GsonBuilder().serializeNulls().setPrettyPrinting().create();

    /** The whole answer, as JSON shows it. */
    record Inventory(Platform platform, List<Device> devices) {}

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print JSON instead of a table.")
    private boolean json;

    /** For picocli. */
    public DevicesCommand() {}

    @Override
    public Integer call() {
        Inventory inventory = new Inventory(Platform.here(), Device.all());
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(GSON.toJson(inventory));
        } else {
            print(inventory, out);
        }
        boolean usable = inventory.devices.stream().anyMatch(device -> device.limits() != null);
        return usable ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static void print(Inventory inventory, PrintWriter out) {
        Platform platform = inventory.platform;
        Table table = new Table("platform", "");
        table.row("operating system", platform.operatingSystem());
        table.row("Java", platform.java());
        table.row("processors", platform.processors() + " usable");
        table.row("native access", platform.nativeAccess() ? "enabled" : "not enabled: java.nio only");
        table.print(out);
        for (Device device : inventory.devices) {
            out.println();
            print(device, out);
        }
        if (inventory.devices.isEmpty()) {
            out.println();
            out.println("No RNIC provider is installed: stag-rnic is missing from the class path.");
        }
    }

    private static void print(Device device, PrintWriter out) {
        Table table = new Table("device " + device.provider(), device.implementation());
        if (device.limits() == null) {
            table.row("cannot be opened", String.valueOf(device.error()));
        } else {
            device.limits().forEach((name, limit) -> table.row(name.replace('_', ' '), Long.toString(limit)));
        }
        table.print(out);
    }
}
