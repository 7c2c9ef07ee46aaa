package io.stag.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoryTest {
    @TempDir
    private Path root;

    private Repository repository;

    @BeforeEach
    void makeModules() throws IOException {
        repository = new Repository(root, Path.of("target"));
        for (String module : new String[] {"wire", "testkit", "rnic"}) {
            Files.createDirectories(root.resolve(module));
            Files.createFile(root.resolve(module).resolve("pom.xml"));
        }
        Files.createDirectories(root.resolve("docs/target/test-classes"));
    }

    private void source(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void findsTestClassesOfModulesAndTheClassesOfTestkit() throws IOException {
        for (String folder :
                new String[] {"wire/target/classes", "wire/target/test-classes", "testkit/target/classes"}) {
            Files.createDirectories(root.resolve(folder));
        }
        assertThat(repository.testClasses())
                .containsExactly(root.resolve("testkit/target/classes"), root.resolve("wire/target/test-classes"));
    }

    @Test
    void refusesAnnotatedTestsThatAreNotCompiled() throws IOException {
        source("rnic/src/test/java/io/stag/PlainTest.java", "class PlainTest {}");
        assertThat(repository.testClasses()).isEmpty();
        source("rnic/src/test/java/io/stag/SomeTest.java", "@Conforms(\"MPA-001\") class SomeTest {}");
        assertThatThrownBy(repository::testClasses).hasMessageContaining("conformance depend on rnic");
    }

    @Test
    void findsTheSourceOfATest() throws IOException {
        source("testkit/src/main/java/io/stag/SomeContract.java", "");
        assertThat(repository.source(new Evidence.Test("SomeContract#a", "io/stag/SomeContract.java")))
                .isEqualTo("testkit/src/main/java/io/stag/SomeContract.java");
        assertThat(repository.source(new Evidence.Test("Other#a", "io/stag/Other.java")))
                .isEmpty();
    }
}
