package io.stag.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where things are in the source tree.
 *
 * @param root the folder of the parent build
 * @param buildFolder where each module is built, below its own folder: {@code target} unless the build says otherwise
 */
record Repository(Path root, Path buildFolder) {
    private static final List<String> SOURCES = List.of("src/test/java", "src/main/java");

    /** As told by the build; without one, as in an IDE, the nearest folder above that has the checklist. */
    static Repository find() {
        String root = System.getProperty("maven.multiModuleProjectDirectory", "");
        String build = System.getProperty("stag.conformance.buildDirectory", "");
        if (!root.isEmpty() && !build.isEmpty()) {
            return new Repository(Path.of(root), Path.of(root, "conformance").relativize(Path.of(build)));
        }
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isDirectory(folder.resolve("docs/conformance"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("docs/conformance not found; set maven.multiModuleProjectDirectory");
        }
        return new Repository(folder, Path.of("target"));
    }

    Path checklist() {
        return root.resolve("docs/conformance");
    }

    Path document() {
        return root.resolve("docs/conformance.md");
    }

    /**
     * The compiled tests of all modules; those of testkit are main classes. A module that has annotated sources but was
     * not compiled would be missing in the document, so that is an error.
     */
    List<Path> testClasses() throws IOException {
        List<Path> folders = new ArrayList<>();
        for (Path module : modules()) {
            List<String> kinds = isTestkit(module) ? List.of("test", "main") : List.of("test");
            for (String kind : kinds) {
                Path classes = module.resolve(buildFolder).resolve(kind.equals("test") ? "test-classes" : "classes");
                if (Files.isDirectory(classes)) {
                    folders.add(classes);
                } else if (isAnnotated(module.resolve("src").resolve(kind).resolve("java"))) {
                    throw new IOException(classes + " is missing; build with -am, or make conformance depend on "
                            + module.getFileName());
                }
            }
        }
        return folders;
    }

    /** Path of a test's source, relative to the root, or empty when there is none. */
    String source(Evidence.Test test) throws IOException {
        for (Path module : modules()) {
            for (String sources : SOURCES) {
                if (Files.exists(module.resolve(sources).resolve(test.source()))) {
                    return module.getFileName() + "/" + sources + "/" + test.source();
                }
            }
        }
        return "";
    }

    private List<Path> modules() throws IOException {
        try (Stream<Path> children = Files.list(root)) {
            return children.filter(child -> Files.exists(child.resolve("pom.xml")))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isTestkit(Path module) {
        return module.endsWith("testkit");
    }

    private static boolean isAnnotated(Path sources) throws IOException {
        if (!Files.isDirectory(sources)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java")).anyMatch(Repository::mentionsConforms);
        }
    }

    private static boolean mentionsConforms(Path file) {
        try {
            return Files.readString(file).contains("@Conforms(");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
