package io.stag.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The manual page of a command, made from what its {@code --help} knows. */
final class ManPage {
    private final CommandSpec spec;
    private final StringBuilder page = new StringBuilder();

    private ManPage(CommandSpec spec) {
        this.spec = spec;
    }

    /** The page in Markdown. */
    static String of(CommandSpec spec) {
        return new ManPage(spec).render();
    }

    /** Name of the page's file, for instance {@code stag-dump.1.md}. */
    static String fileName(CommandSpec spec) {
        return spec.qualifiedName("-") + ".1.md";
    }

    private String render() {
        UsageMessageSpec usage = spec.usageMessage().autoWidth(false).width(80); // whatever the terminal is
        page.append("# ").append(spec.qualifiedName("-")).append("(1)\n");
        section("NAME", List.of(spec.qualifiedName() + " - " + text(usage.header()[0])));
        section("SYNOPSIS", List.of("```", synopsis(), "```"));
        section(
                "DESCRIPTION",
                Arrays.stream(usage.description()).map(ManPage::text).toList());
        arguments();
        subcommands();
        exitCodes();
        List<String> examples = new ArrayList<>(List.of("```"));
        Arrays.stream(usage.footer())
                .map(ManPage::text)
                .map(line -> line.substring(2))
                .forEach(examples::add);
        examples.add("```");
        section("EXAMPLES", examples);
        section("SEE ALSO", List.of(others()));
        return page.toString();
    }

    private void section(String title, List<String> lines) {
        page.append("\n## ").append(title).append("\n\n");
        lines.stream()
                .dropWhile(String::isBlank)
                .forEach(line -> page.append(line).append('\n'));
    }

    private String synopsis() {
        Help help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
        return help.synopsis(0).strip();
    }

    private void arguments() {
        List<String> lines = new ArrayList<>();
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            lines.add("**" + parameter.paramLabel() + "**  ");
            lines.addAll(described(parameter));
        }
        for (OptionSpec option : spec.options()) {
            if (!option.hidden()) {
                String names = Arrays.stream(option.names()).collect(Collectors.joining("**, **", "**", "**"));
                boolean hasValue = option.arity().max() > 0;
                lines.add(names + (hasValue ? " *" + option.paramLabel() + "*" : "") + "  ");
                lines.addAll(described(option));
            }
        }
        lines.removeLast();
        section("OPTIONS", lines);
    }

    private static List<String> described(ArgSpec argument) {
        return List.of(String.join(" ", argument.description()), "");
    }

    private void subcommands() {
        if (spec.subcommands().isEmpty()) {
            return;
        }
        section(
                "COMMANDS",
                spec.subcommands().values().stream()
                        .map(CommandLine::getCommandSpec)
                        .filter(command -> !command.name().equals("help"))
                        .map(command -> "- [" + command.qualifiedName("-") + "](" + fileName(command) + "): "
                                + text(command.usageMessage().header()[0]))
                        .toList());
    }

    private void exitCodes() {
        List<String> lines = new ArrayList<>(List.of("| code | meaning |", "| --- | --- |"));
        spec.usageMessage().exitCodeList().forEach((code, meaning) -> lines.add("| " + code + " | " + meaning + " |"));
        section("EXIT STATUS", lines);
    }

    private String others() {
        CommandSpec top = spec.parent() == null ? spec : spec.parent();
        Stream<CommandSpec> above = spec.parent() == null ? Stream.empty() : Stream.of(top);
        Stream<CommandSpec> beside = top.subcommands().values().stream().map(CommandLine::getCommandSpec);
        return Stream.concat(above, beside)
                .filter(other -> !other.name().equals("help") && other != spec)
                .map(other -> "[" + other.qualifiedName("-") + "(1)](" + fileName(other) + ")")
                .collect(Collectors.joining(", "));
    }

    private static String text(String line) {
        return line.formatted();
    }
}
