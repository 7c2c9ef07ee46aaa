package io.stag.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExampleTest {

    private static List<Example> examples(String... lines) {
        return Example.of(List.of(new Document("test.md", List.of(lines))));
    }

    @Test
    void piecesOfOneNameAreJoinedBehindImportsAndParts() {
        List<Example> examples = examples(
                "<!-- imports -->",
                "```java",
                "import a;",
                "```",
                "<!-- example: One, with P -->",
                "```java",
                "import b;",
                "first",
                "```",
                "<!-- part: P -->",
                "```java",
                "part",
                "```",
                "<!-- example: One -->",
                "```java",
                "second",
                "```",
                "<!-- output: One -->",
                "```text",
                "out",
                "```");
        assertThat(examples)
                .containsExactly(new Example("One", "import a;\nimport b;\npart\nfirst\nsecond\n", List.of("out")));
    }

    @Test
    void rolesBecomeMethods() {
        List<Example> examples = examples(
                "<!-- example: One, as server -->",
                "```java",
                "listen",
                "```",
                "<!-- example: One, as client -->",
                "```java",
                "connect",
                "```",
                "<!-- output: One -->",
                "```text",
                "```");
        assertThat(examples.getFirst().source()).isEqualTo("""
            void server(int port) throws Exception {
            listen
            }
            void client(int port) throws Exception {
            connect
            }
            void main() throws Exception { io.stag.testkit.docs.Roles.run(this::server, this::client); }
            """);
    }

    @Test
    void otherBlocksDoNotMatter() {
        assertThat(examples("```", "./stag demo", "```", "", "```xml", "<a/>", "```"))
                .isEmpty();
    }

    @Test
    void aJavaBlockWithoutACommentIsRefused() {
        assertThatThrownBy(() -> examples("", "```java", "```"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("test.md:2: the block is marked 'java' and has the comment ''");
    }

    @Test
    void aCommentThatNobodyUnderstandsIsRefused() {
        assertThatThrownBy(() -> examples("<!-- exmaple: One -->", "```java", "```"))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> examples("<!-- output: One -->", "```", "```")).isInstanceOf(AssertionError.class);
    }

    @Test
    void anExampleNeedsAnOutputAndAnOutputAnExample() {
        assertThatThrownBy(() -> examples("<!-- example: One -->", "```java", "```"))
                .hasMessage("the example One has no output to compare with");
        assertThatThrownBy(() -> examples("<!-- output: One -->", "```text", "```"))
                .hasMessage("output without an example: [One]");
    }

    @Test
    void anUnknownPartIsRefused() {
        assertThatThrownBy(() -> examples(
                        "<!-- example: One, with P -->", "```java", "```", "<!-- output: One -->", "```text", "```"))
                .hasMessage("the example One wants an unknown part: P");
    }

    @Test
    void aBlockWithoutAnEndIsRefused() {
        assertThatThrownBy(() -> examples("```java", "```java")).hasMessage("test.md:1: the block has no end");
    }

    @Test
    void threeDotsStandForAnything() {
        assertThat(Example.matches("a … c …", "a b c ")).isTrue();
        assertThat(Example.matches("a … c", "a b d")).isFalse();
        assertThat(Example.matches("a.c", "abc")).isFalse();
    }
}
