package io.stag.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The examples of README and guide compile, run, and print what stands there. Here, because a reader of the guide has
 * what this module has: verbs, RNIC and testkit.
 */
class ExamplesIT {

    static List<Example> examples() throws IOException {
        Path root = Document.root();
        return Example.of(List.of(Document.read(root, "README.md"), Document.read(root, "docs/guide.md")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void doesWhatTheDocumentSays(Example example, @TempDir Path folder) throws Exception {
        new ExampleRunner(folder).check(example);
    }

    @Test
    void theGuideNamesTheVersionOfThisBuild() throws IOException {
        Path root = Document.root();
        Matcher version = Pattern.compile("<artifactId>stag-parent</artifactId>\\s*<version>(.*)</version>")
                .matcher(Files.readString(root.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        List<String> named = Pattern.compile("<version>(.*)</version>")
                .matcher(Files.readString(root.resolve("docs/guide.md")))
                .results()
                .map(result -> result.group(1))
                .distinct()
                .toList();
        assertThat(named).containsExactly(version.group(1));
    }
}
