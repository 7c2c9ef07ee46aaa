package io.stag.verbs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict reader of the Prometheus text format 0.0.4, for texts of counters and gauges that describe every metric.
 *
 * @param samples values by name and labels, as they stand in the text
 * @param types type by metric
 */
record ExpositionText(Map<String, Double> samples, Map<String, String> types) {
    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\\]|\\\\[\\\\n])+)");
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)\\{(.*)} (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\\\\\"]|\\\\[\\\\\"n])*)\"(,|$)");

    /** @throws IllegalArgumentException naming the first line that breaks the format */
    static ExpositionText parse(String text) {
        if (!text.endsWith("\n")) {
            throw new IllegalArgumentException("the last line does not end with a line feed");
        }
        ExpositionText read = new ExpositionText(new LinkedHashMap<>(), new HashMap<>());
        Set<String> helped = new HashSet<>();
        String current = "";
        for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
            Matcher help = HELP.matcher(line);
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                require(helped.add(help.group(1)), "a second HELP", line);
                current = help.group(1);
            } else if (type.matches()) {
                require(type.group(1).equals(current), "TYPE does not follow its HELP", line);
                require(read.types.put(current, type.group(2)) == null, "a second TYPE", line);
            } else {
                require(sample.matches(), "neither comment nor sample", line);
                require(sample.group(1).equals(current), "not among the samples of its metric", line);
                require(read.types.containsKey(current), "a sample before its TYPE", line);
                checkLabels(sample.group(2), line);
                double value = Double.parseDouble(sample.group(3));
                require(value >= 0 || !"counter".equals(read.types.get(current)), "a negative counter", line);
                require(
                        read.samples.put(line.substring(0, sample.end(2) + 1), value) == null,
                        "the same series twice",
                        line);
            }
        }
        return read;
    }

    private static void checkLabels(String labels, String line) {
        List<String> names = new ArrayList<>();
        Matcher label = LABEL.matcher(labels);
        int at = 0;
        while (at < labels.length()) {
            require(label.find(at) && label.start() == at, "malformed labels", line);
            require(!names.contains(label.group(1)), "a label twice", line);
            names.add(label.group(1));
            at = label.end();
            require(at < labels.length() == label.group(3).equals(","), "malformed labels", line);
        }
    }

    private static void require(boolean condition, String what, String line) {
        if (!condition) {
            throw new IllegalArgumentException(what + ": " + line);
        }
    }
}
