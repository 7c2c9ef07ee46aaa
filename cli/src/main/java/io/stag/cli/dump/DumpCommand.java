package io.stag.cli.dump;

import io.stag.cli.CommandFailure;
import io.stag.cli.ExitCode;
import io.stag.cli.OnOff;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stag dump}. */
@Command(
        name = "dump",
        header = "Decodes a capture of iWARP traffic and marks what breaks a rule.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Prints one line per MPA startup frame and FPDU: seconds since the first one, connection, direction"
                    + " (> from the initiator), octet offset in the stream, message, its fields, state of the CRC."
                    + " CRC and Markers are expected as the startup frames say.",
            "",
            "!! marks what breaks a rule, with the clause; -- marks what is worth knowing. What depends on the memory"
                    + " of the receiver (STags, bounds, posted receives) cannot be seen from outside.",
            "",
            "TCP segments may come late, twice or cut in any way. Memory is bounded; files of any length are read.",
            "",
            "Datagrams of datagram-iWARP (docs/datagram-wire.md) get a line each, from the first one on that has the"
                + " right headers and CRC, or all with --port; the offset is that in the message, and rules are named"
                + " by their number, DG-001 and so on. Datagrams that the system joined are shown apart; of those that"
                + " IP cut only the first fragment is read. Of reliable ones (docs/reliable-datagram.md, rules RD-001"
                + " and so on) stream and PSN are shown, what is sent again, what acknowledgements miss, and refusals."
        },
        parameterListHeading = "%nParameters:%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:read to the end, no anomaly",
            "1:the file cannot be read or an anomaly was found",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tcpdump -w trace.pcap port 7174; stag dump trace.pcap",
            "  stag dump -v --port 7174 trace.pcapng",
            "  stag dump --guess trace.pcap     it began in the middle of connections",
            "  stag dump --crc off - < hex.txt  startup frames and FPDUs as text"
        })
public final class DumpCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";
    private static final int MAX_PORT = 65_535;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            description = "A capture in pcap or pcapng format. - reads standard input: a capture, or hexadecimal text"
                    + " with startup frames and FPDUs; an empty line begins a new stream, # a comment.")
    private String file = STANDARD_INPUT;

    @Option(
            names = {"-v", "--verbose"},
            description = "Show all fields and the first octets of the payload.")
    private boolean verbose;

    @Option(
            names = "--guess",
            description = "Look for FPDUs in connections whose startup frames are not in the capture.")
    private boolean guess;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Only connections with this port at either end; all its UDP datagrams are taken for"
                    + " datagram-iWARP.")
    private int port;

    @Option(
            names = "--crc",
            paramLabel = "on|off",
            description =
                    "Whether CRC is used. Default: as the startup frames say; on in hexadecimal text without them.")
    private @Nullable OnOff crc;

    @Option(
            names = "--markers",
            paramLabel = "on|off",
            description = "Whether Markers are used. Default: as the startup frames say; off in hexadecimal text.")
    private @Nullable OnOff markers;

    private InputStream standardInput = System.in;

    /** For picocli. */
    public DumpCommand() {}

    /** For tests. */
    DumpCommand(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws IOException {
        if (port < 0 || port > MAX_PORT) {
            throw new ParameterException(spec.commandLine(), "--port " + port + " is outside 0 to " + MAX_PORT);
        }
        if (Files.isDirectory(Path.of(file))) {
            throw new CommandFailure(file + " is a folder", "");
        }
        DumpSettings settings = new DumpSettings(
                verbose,
                guess,
                port,
                Optional.ofNullable(crc).map(OnOff::isOn),
                Optional.ofNullable(markers).map(OnOff::isOn));
        try (InputStream in = new BufferedInputStream(open(), 1 << 16)) {
            return dump(in, settings);
        }
    }

    private InputStream open() throws IOException {
        return file.equals(STANDARD_INPUT) ? standardInput : Files.newInputStream(Path.of(file));
    }

    private int dump(InputStream in, DumpSettings settings) throws IOException {
        byte[] magic = in.readNBytes(CaptureReader.MAGIC_LENGTH);
        CaptureReader reader = magic.length < CaptureReader.MAGIC_LENGTH ? null : CaptureReader.open(magic, in);
        if (reader == null && !file.equals(STANDARD_INPUT)) {
            throw new CommandFailure(
                    file + " is neither a pcap nor a pcapng file",
                    "Hexadecimal text is read from standard input: stag dump - < " + file);
        }
        DumpPrinter printer = new DumpPrinter(spec.commandLine().getOut(), reader != null);
        try {
            if (reader != null) {
                CaptureDump dump = new CaptureDump(settings, printer);
                dump.read(reader);
                printer.alignment(dump.alignment());
                printer.summary(dump.statistics());
            } else {
                InputStream whole = new SequenceInputStream(new ByteArrayInputStream(magic), in);
                new HexDump(settings, printer).read(new InputStreamReader(whole, StandardCharsets.US_ASCII));
                printer.summary("");
            }
        } catch (IOException e) {
            spec.commandLine().getOut().flush();
            throw new CommandFailure(file + " " + e.getMessage(), "What could be read is shown above.", e);
        }
        return printer.foundAnomalies() ? ExitCode.FAILED : ExitCode.DONE;
    }
}
