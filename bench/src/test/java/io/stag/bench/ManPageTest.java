package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The manual pages say what {@code --help} says. {@code -Dman=write} writes them anew. */
class ManPageTest {
    private static final Path FOLDER = Path.of("..", "docs", "man");

    static Stream<CommandSpec> commands() {
        return withSubcommands(StagBench.commandLine()).map(CommandLine::getCommandSpec);
    }

    private static Stream<CommandLine> withSubcommands(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream()
                        .filter(below -> !below.getCommandName().equals("help"))
                        .flatMap(ManPageTest::withSubcommands));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theManualIsUpToDate(CommandSpec command) throws IOException {
        Path file = FOLDER.resolve(ManPage.fileName(command));
        String page = ManPage.of(command);
        if ("write".equals(System.getProperty("man"))) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, page);
        }
        assertThat(file).as("write it with -Dman=write").exists();
        assertThat(Files.readString(file))
                .as("%s, to be written with -Dman=write", file)
                .isEqualTo(page);
    }
}
