package io.stag.testkit.docs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An example of the documentation, made complete. The comments that mark blocks are explained at the end of the guide.
 *
 * @param name class and file name
 * @param source the whole source file
 * @param output the lines it prints, where … stands for anything
 */
record Example(String name, String source, List<String> output) {
    private static final Pattern EXAMPLE = Pattern.compile("example: (\\w+)(?:, as (\\w+)|, with ([\\w, ]+))?");
    private static final Pattern PART = Pattern.compile("part: (\\w+)");
    private static final Pattern OUTPUT = Pattern.compile("output: (\\w+)");

    /** All examples of some documents, which may use each other's imports and parts. */
    static List<Example> of(List<Document> documents) {
        Collector collector = new Collector();
        for (Document document : documents) {
            document.blocks().forEach(collector::add);
        }
        return collector.examples();
    }

    /** Whether this is what the example should print. */
    boolean prints(List<String> lines) {
        if (lines.size() != output.size()) {
            return false;
        }
        for (int i = 0; i < lines.size(); i++) {
            if (!matches(output.get(i), lines.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code text} fits {@code pattern}, in which … stands for anything. */
    static boolean matches(String pattern, String text) {
        StringBuilder regex = new StringBuilder();
        for (String literal : pattern.split("…", -1)) {
            regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(literal));
        }
        return Pattern.matches(regex.toString(), text);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Puts the pieces together. */
    private static final class Collector {
        private final List<String> imports = new ArrayList<>();
        private final Map<String, List<String>> parts = new LinkedHashMap<>();
        private final Map<String, Draft> drafts = new LinkedHashMap<>();
        private final Map<String, List<String>> outputs = new LinkedHashMap<>();

        /** What an example consists of. */
        private static final class Draft {
            final List<String> with = new ArrayList<>();
            final List<String> members = new ArrayList<>();
            final List<String> roles = new ArrayList<>();
        }

        void add(Document.Block block) {
            Matcher example = EXAMPLE.matcher(block.comment());
            Matcher part = PART.matcher(block.comment());
            Matcher output = OUTPUT.matcher(block.comment());
            if (block.language().equals("text") && output.matches()) {
                if (outputs.put(output.group(1), block.text()) != null) {
                    throw new AssertionError(block.place() + ": a second output of " + output.group(1));
                }
            } else if (block.language().equals("java") && block.comment().equals("imports")) {
                imports.addAll(block.text());
            } else if (block.language().equals("java") && part.matches()) {
                parts.computeIfAbsent(part.group(1), _ -> new ArrayList<>()).addAll(block.text());
            } else if (block.language().equals("java") && example.matches()) {
                add(block, drafts.computeIfAbsent(example.group(1), _ -> new Draft()), example);
            } else if (block.language().equals("java") || !block.comment().isEmpty()) {
                throw new AssertionError(block.place() + ": the block is marked '" + block.language()
                        + "' and has the comment '" + block.comment() + "'; the end of docs/guide.md tells the rules");
            }
        }

        private void add(Document.Block block, Draft draft, Matcher marker) {
            String role = marker.group(2);
            if (role == null) {
                draft.members.addAll(block.text());
            } else {
                draft.roles.add(role);
                draft.members.add("void " + role + "(int port) throws Exception {");
                draft.members.addAll(block.text());
                draft.members.add("}");
            }
            if (marker.group(3) != null) {
                draft.with.addAll(List.of(marker.group(3).split(", ")));
            }
        }

        List<Example> examples() {
            List<Example> examples = new ArrayList<>();
            drafts.forEach((name, draft) -> {
                List<String> output = outputs.remove(name);
                if (output == null) {
                    throw new AssertionError("the example " + name + " has no output to compare with");
                }
                examples.add(new Example(name, source(name, draft), output));
            });
            if (!outputs.isEmpty()) {
                throw new AssertionError("output without an example: " + outputs.keySet());
            }
            return examples;
        }

        private String source(String name, Draft draft) {
            List<String> body = new ArrayList<>();
            for (String part : draft.with) {
                if (!parts.containsKey(part)) {
                    throw new AssertionError("the example " + name + " wants an unknown part: " + part);
                }
                body.addAll(parts.get(part));
            }
            body.addAll(draft.members);
            if (!draft.roles.isEmpty()) {
                String roles = String.join(", this::", draft.roles);
                body.add("void main() throws Exception { " + Roles.class.getName() + ".run(this::" + roles + "); }");
            }
            List<String> top = new ArrayList<>(imports);
            body.stream().filter(line -> line.startsWith("import ")).forEach(top::add);
            body.removeIf(line -> line.startsWith("import "));
            top.addAll(body);
            return String.join("\n", top) + "\n";
        }
    }
}
