package io.stag.testkit.docs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the examples are tested with finds what is wrong with them. */
class ExampleRunnerIT {
    @TempDir
    Path folder;

    private void check(String... document) throws Exception {
        for (Example example : Example.of(List.of(new Document("test.md", List.of(document))))) {
            new ExampleRunner(folder).check(example);
        }
    }

    private static String[] with(String body, String output) {
        return new String[] {
            "<!-- example: Tried -->",
            "```java",
            "void main() throws Exception {",
            body,
            "}",
            "```",
            "",
            "<!-- output: Tried -->",
            "```text",
            output,
            "```",
        };
    }

    @Test
    void aGoodExamplePasses() throws Exception {
        check(with("IO.println(\"one 0x12 two\");", "one … two"));
    }

    @Test
    void anotherOutputIsFound() {
        assertThatThrownBy(() -> check(with("IO.println(\"one\");", "two")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("should print\ntwo", "but printed\none");
    }

    @Test
    void moreOutputIsFound() {
        assertThatThrownBy(() -> check(with("IO.println(\"one\"); IO.println(\"more\");", "one")))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void anErrorOfTheCompilerIsFound() {
        assertThatThrownBy(() -> check(with("int i = \"one\";", "one"))).hasMessageContaining("does not compile");
    }

    @Test
    void aWarningOfTheCompilerIsFound() {
        assertThatThrownBy(() -> check(with("List<String> raw = new ArrayList();", "one")))
                .hasMessageContainingAll("does not compile", "rawtypes");
    }

    @Test
    void anExceptionIsFound() {
        assertThatThrownBy(() -> check(with("throw new Exception(\"no\");", "one")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("failed: java.lang.Exception: no");
    }

    @Test
    void anExceptionInAThreadIsFound() {
        assertThatThrownBy(() ->
                        check(with("Thread.startVirtualThread(() -> { throw new Error(\"no\"); }).join();", "one")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("failed in another thread: java.lang.Error: no");
    }

    @Test
    void anExceptionInARoleIsFound() {
        assertThatThrownBy(() -> check(
                        "<!-- example: Tried, as server -->",
                        "```java",
                        "throw new Exception(\"no\");",
                        "```",
                        "<!-- output: Tried -->",
                        "```text",
                        "```"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("java.lang.Exception: no");
    }
}
