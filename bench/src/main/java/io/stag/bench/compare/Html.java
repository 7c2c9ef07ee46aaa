package io.stag.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A page in one file, well formed also as XML. Nothing is fetched when it is opened. */
public final class Html {
    private static final String STYLE = """
        body { font: 15px/1.5 system-ui, sans-serif; color: #1f2933; background: #fff; max-width: 62rem;
               margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.6rem; margin-bottom: .2rem; }
        h2 { font-size: 1.15rem; margin-top: 2.4rem; border-bottom: 1px solid #e6e8eb; padding-bottom: .2rem; }
        p.note, figcaption { color: #52606d; font-size: .9rem; }
        figure { margin: 1rem 0; }
        figure svg { width: 100%; height: auto; display: block; }
        div.wide { overflow-x: auto; }
        table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
        th, td { padding: .25rem .7rem; border-bottom: 1px solid #e6e8eb; text-align: right; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; }
        thead th { border-bottom: 2px solid #cbd2d9; }
        """;

    private final StringBuilder page = new StringBuilder();
    private final Map<String, String> plots = new LinkedHashMap<>(); // title to picture

    /**
     * A page.
     *
     * @param title of the page
     */
    public Html(String title) {
        page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>")
                .append(text(title))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(text(title))
                .append("</h1>\n");
    }

    /** A heading. */
    public Html heading(String heading) {
        page.append("<h2>").append(text(heading)).append("</h2>\n");
        return this;
    }

    /** A paragraph in small print. */
    public Html note(String note) {
        page.append("<p class=\"note\">").append(text(note)).append("</p>\n");
        return this;
    }

    /** A plot with a line that explains it. */
    public Html plot(Plot plot, String caption) {
        if (plot.isEmpty()) {
            return note(plot.title() + ": nothing was measured.");
        }
        String svg = plot.svg();
        plots.put(plot.title(), svg);
        page.append("<figure>\n")
                .append(svg)
                .append("\n<figcaption>")
                .append(text(caption))
                .append("</figcaption>\n</figure>\n");
        return this;
    }

    /** A table; the first column holds names, the others numbers. */
    public Html table(List<String> headings, List<List<String>> rows) {
        page.append("<div class=\"wide\"><table>\n<thead><tr>");
        headings.forEach(heading -> page.append("<th>").append(text(heading)).append("</th>"));
        page.append("</tr></thead>\n<tbody>\n");
        for (List<String> row : rows) {
            page.append("<tr>");
            row.forEach(cell -> page.append("<td>").append(text(cell)).append("</td>"));
            page.append("</tr>\n");
        }
        page.append("</tbody>\n</table></div>\n");
        return this;
    }

    /** Writes the page. */
    public void write(Path file) throws IOException {
        Files.writeString(file, toString());
    }

    /** Writes each plot into a file of its own, named after its title. */
    public void writePlots(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (var plot : plots.entrySet()) {
            String name = plot.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
            Files.writeString(folder.resolve(name + ".svg"), plot.getValue() + "\n");
        }
    }

    @Override
    public String toString() {
        return page + "</body>\n</html>\n";
    }

    static String text(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
