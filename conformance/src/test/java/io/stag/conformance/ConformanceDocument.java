package io.stag.conformance;

import io.stag.conformance.Checklist.Item;
import io.stag.conformance.Checklist.Layer;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The text of {@code docs/conformance.md}.
 *
 * @param checklist what is demanded
 * @param evidence what is shown
 * @param sourceOf path of a test's source relative to the root, or empty
 */
record ConformanceDocument(Checklist checklist, Evidence evidence, Function<Evidence.Test, String> sourceOf) {
    /** Rewrites the document. */
    static final String COMMAND =
            "./mvnw -q -pl conformance -am test -Dtest=ConformanceTest -Dsurefire.failIfNoSpecifiedTests=false"
                    + " -Dstag.conformance.write=true";

    private static final String HEAD = """
        # Conformance

        Made from the items in [docs/conformance](conformance) and the `@Conforms` annotations of the tests; do not edit. After a
        change of either, run

        ```
        %s
        ```

        The build fails when this file is out of date, when a test names an item that does not exist, and when an exception in
        `docs/conformance/exceptions.csv` stands for an item that a test shows.

        Kinds of test: **U** unit test of codec or engine, **W** a peer that speaks raw octets, **P** two complete endpoints,
        **R** review of design or documentation. Numbers such as 5044 are RFCs; "own" is a rule of this project.
        "Open" means: neither shown by a test nor excepted yet.

        ## Summary

        | layer | items | U/W/P items | shown | share | R items | shown | excepted | open |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        """;

    String text() {
        StringBuilder text = new StringBuilder(HEAD.formatted(COMMAND));
        for (Layer layer : Layer.values()) {
            text.append(summary(layer.name(), checklist.items(layer)));
        }
        text.append(summary("all", checklist.items()));
        for (Layer layer : Layer.values()) {
            text.append("\n## ").append(layer.title()).append("\n\n");
            text.append("| item | level | source | kind | requirement | shown by |\n");
            text.append("| --- | --- | --- | --- | --- | --- |\n");
            checklist.items(layer).forEach(item -> text.append(row(item)));
        }
        return text.toString();
    }

    /** How much of a layer's U/W/P items is shown. */
    String coverage(Layer layer) {
        List<Item> testable =
                checklist.items(layer).stream().filter(Item::testable).toList();
        long shown = testable.stream().filter(this::isShown).count();
        return "%s: %d of %d U/W/P items shown, %d %%"
                .formatted(layer, shown, testable.size(), percent(shown, testable.size()));
    }

    private String summary(String name, List<Item> items) {
        long testable = items.stream().filter(Item::testable).count();
        long testableShown =
                items.stream().filter(Item::testable).filter(this::isShown).count();
        long shown = items.stream().filter(this::isShown).count();
        long excepted = items.stream()
                .filter(item -> checklist.exceptions().containsKey(item.id()))
                .count();
        return "| %s | %d | %d | %d | %d %% | %d | %d | %d | %d |\n"
                .formatted(
                        name,
                        items.size(),
                        testable,
                        testableShown,
                        percent(testableShown, testable),
                        items.size() - testable,
                        shown - testableShown,
                        excepted,
                        items.size() - shown - excepted);
    }

    private String row(Item item) {
        return "| %s | %s | %s | %s | %s | %s |\n"
                .formatted(
                        item.id(),
                        item.level(),
                        escaped(item.source()),
                        item.tests(),
                        escaped(item.requirement()),
                        shownBy(item));
    }

    private String shownBy(Item item) {
        Set<Evidence.Test> tests = evidence.of(item.id());
        if (!tests.isEmpty()) {
            return tests.stream().map(this::link).collect(Collectors.joining("<br>"));
        }
        String reason = checklist.exceptions().get(item.id());
        return reason == null ? "open" : "*" + escaped(reason) + "*";
    }

    private String link(Evidence.Test test) {
        String source = sourceOf.apply(test);
        return source.isEmpty() ? test.name() : "[" + test.name() + "](../" + source + ")";
    }

    private boolean isShown(Item item) {
        return !evidence.of(item.id()).isEmpty();
    }

    /** Rounded down, so that 100 means all. */
    private static long percent(long part, long whole) {
        return whole == 0 ? 100 : 100 * part / whole;
    }

    private static String escaped(String text) {
        return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;");
    }
}
