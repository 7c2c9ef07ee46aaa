package io.stag.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class StagTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"demo", "rping", "perf", "dump", "misbehave", "devices"})
    void everyCommandTeaches(String command) {
        assertThat(CommandRun.of(command, "--help").exitCode()).isEqualTo(ExitCode.DONE);
        CommandLine stag = Stag.commandLine().setUsageHelpAutoWidth(false).setUsageHelpWidth(80);
        String help = stag.getSubcommands().get(command).getUsageMessage();
        assertThat(help).contains("Usage: stag " + command, "Options:", "Exit codes:", "Examples:");
        assertThat(help.lines()).as("fits a terminal").allMatch(line -> line.length() <= 80);
    }

    @Test
    void withoutACommandItShowsWhatThereIs() {
        CommandRun run = CommandRun.of();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("demo", "rping", "perf", "dump", "misbehave", "devices", "wrong usage");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense | Unmatched argument",
                "dump | Missing required parameter: 'FILE'",
                "dump a b | Unmatched argument",
                "dump --port 65536 a | --port 65536 is outside",
                "perf tcp-lat --json /nowhere/r.json | there is no folder /nowhere",
                "misbehave --list --json / | / is a folder",
                "dump --crc maybe - | Invalid value for option '--crc'",
                "rping | (-s | -c)",
                "rping -s -c | mutually exclusive",
                "rping -c | A client needs -a",
                "rping -c -a 127.0.0.1 -S 22 | outside 23 to 65536",
                "rping -c -a 127.0.0.1 -S 65537 | outside 23 to 65536",
                "rping -c -a 127.0.0.1 -C -1 | negative",
                "rping -c -a 127.0.0.1 -P | -P is for servers",
                "rping -c -a 127.0.0.1 --mpa-revision 3 | neither 1 nor 2",
                "rping -c -a 127.0.0.1 -p 70000 | outside 0 to 65535",
                "perf | Which test?",
                "perf write-fast | is none of write-lat",
                "perf tcp-lat --size 0 | --size 0 is outside",
                "perf tcp-lat --size 4,x | not a number of octets",
                "perf tcp-lat --seconds -1 | --seconds",
                "perf tcp-lat --seconds NaN | --seconds",
                "perf tcp-lat --depth 0 | --depth 0 is outside",
                "perf tcp-lat --connections 0 | --connections 0 is outside",
                "perf tcp-lat --wait sleep | --wait",
                "perf tcp-lat --transport udp | --transport udp: there are send-lat send-bw write-record-lat",
                "perf udp-lat --transport tcp | and not udp-lat",
                "perf write-record-lat --transport rd | there are write-lat write-bw read-lat",
                "perf send-lat --transport rd --segment 117 | --segment 117 is outside 118 to 65507",
                "perf write-record-lat --transport rdma | --transport",
                "perf send-lat --transport udp --crc off | always have a CRC",
                "perf write-record-bw --markers on | Markers are for streams",
                "perf udp-bw --loss 100 | --loss 100.0 is not 0 or more",
                "perf tcp-bw --loss 1 | --loss is for --transport udp",
                "perf udp-bw --connections 2 | has no connections",
                "perf send-bw --transport udp --segment 105 | --segment 105 is outside 106 to 65507",
                "perf tcp-lat --connect nowhere | not HOST:PORT",
                "perf tcp-lat --connect a:1 --server | mutually exclusive",
                "perf write-lat --wait block | imm-lat",
                "perf write-bw --size 1g --connections 2 | above 2 GiB",
                "misbehave | Where is the peer?",
                "misbehave all | Where is the peer?",
                "misbehave --connect a:1 | Which case?",
                "misbehave no-such-case --connect a:1 | There is no case 'no-such-case'",
                "misbehave request-key --listen 0 | needs --connect",
                "misbehave reply-key --connect a:1 | needs --listen",
                "misbehave all --connect a:1 --listen 2 | mutually exclusive",
                "misbehave all --connect a:1 --wait -1 | --wait -1 is outside",
                "misbehave --target | A target needs",
                "misbehave all --target --listen 0 | takes no cases",
                "devices --what | Unknown option"
            })
    void wrongUsageIsExplainedAndGivesTwo(String args, String message) {
        CommandRun run = CommandRun.of(args.trim().split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).containsAnyOf(message.trim().split("\\|")).doesNotContain("Exception");
    }

    @Test
    void aMissingFileIsALineNotAStackTrace() {
        CommandRun run = CommandRun.of("dump", folder.resolve("none.pcap").toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("none.pcap: no such file").doesNotContain("\tat ");
        assertThat(CommandRun.of("dump", "--debug", folder.resolve("none.pcap").toString())
                        .err())
                .contains("\tat ");
    }

    @Test
    void aFileThatIsNoCaptureSaysWhatToDo() throws IOException {
        Path file = Files.writeString(folder.resolve("hex.txt"), "0017 4143");
        CommandRun run = CommandRun.of("dump", file.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("neither a pcap nor a pcapng file", "stag dump - <");
    }

    @Test
    void noServerIsALineWithAdvice() {
        CommandRun run = CommandRun.of("perf", "tcp-lat", "--connect", "127.0.0.1:1", "--pin", "off");
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .contains("stag perf: cannot connect to 127.0.0.1:1: ", "Is the server running")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dump / | / is a folder",
                "perf tcp-lat --connect nohost.invalid:1 | nohost.invalid: unknown host",
                "perf --server --pin off --listen nohost.invalid:1 | cannot listen on nohost.invalid:1"
            })
    void aFailureSaysWhere(String args, String message) {
        CommandRun run = CommandRun.of(args.trim().split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains(message).doesNotContain("bug in stag");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileThatGetsFullIsNoBug() {
        CommandRun run = CommandRun.of("misbehave", "--list", "--json", "/dev/full");
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("/dev/full cannot be written: ").doesNotContain("bug in stag");
    }

    @Test
    void outputThatCannotBeWrittenIsAFailure() {
        PrintStream full = new PrintStream(new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        for (String command : new String[] {"devices", "--help"}) {
            StringWriter err = new StringWriter();
            int exitCode = Stag.execute(new StandardOutput(full), new PrintWriter(err), command);
            assertThat(exitCode).as(command).isEqualTo(ExitCode.FAILED);
            assertThat(err.toString())
                    .contains("standard output cannot be written")
                    .doesNotContain("bug in stag");
        }
    }

    @Test
    void tooLittleMemoryIsALineWithAdvice() {
        @CommandLine.Command(name = "greedy")
        class Greedy implements Runnable {
            @Override
            public void run() {
                throw new OutOfMemoryError("Java heap space");
            }
        }
        StringWriter err = new StringWriter();
        int exitCode = Stag.configured(new CommandLine(new Greedy()))
                .setErr(new PrintWriter(err))
                .execute();
        assertThat(exitCode).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString())
                .contains("greedy: not enough memory: Java heap space", "-Xmx")
                .doesNotContain("\tat ");
    }

    @Test
    void everyOptionIsDescribed() {
        for (CommandLine command : Stag.commandLine().getSubcommands().values()) {
            command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> assertThat(option.description())
                            .as(command.getCommandName() + " " + option.longestName())
                            .isNotEmpty());
        }
    }
}
