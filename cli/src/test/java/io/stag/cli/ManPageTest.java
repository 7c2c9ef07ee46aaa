package io.stag.cli;

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
        CommandLine stag = Stag.commandLine();
        return Stream.concat(
                        Stream.of(stag),
                        stag.getSubcommands().values().stream()
                                .filter(command -> !command.getCommandName().equals("help")))
                .map(CommandLine::getCommandSpec);
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
