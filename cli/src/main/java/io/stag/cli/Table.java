package io.stag.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Text in columns that line up. Columns whose cells are all numbers (or empty) are set to the right. */
public final class Table {
    private static final String GAP = "  ";

    private final List<String> headings;
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * A table without rows.
     *
     * @param headings one per column
     */
    public Table(String... headings) {
        this.headings = List.of(headings);
    }

    /**
     * Appends a row.
     *
     * @param cells one per column; use {@code ""} for nothing
     */
    public void row(String... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + headings.size() + " columns");
        }
        rows.add(List.of(cells));
    }

    /**
     * Prints headings and rows.
     *
     * @param out where to print
     */
    public void print(PrintWriter out) {
        int[] widths = new int[headings.size()];
        boolean[] numeric = new boolean[headings.size()];
        Arrays.fill(numeric, true);
        for (int column = 0; column < widths.length; column++) {
            widths[column] = headings.get(column).length();
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
                numeric[column] &= isNumber(row.get(column));
            }
        }
        printRow(out, headings, widths, numeric);
        rows.forEach(row -> printRow(out, row, widths, numeric));
    }

    private static void printRow(PrintWriter out, List<String> cells, int[] widths, boolean[] numeric) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String blanks = " ".repeat(widths[column] - cells.get(column).length());
            line.append(column == 0 ? "" : GAP);
            line.append(numeric[column] ? blanks + cells.get(column) : cells.get(column) + blanks);
        }
        out.println(line.toString().stripTrailing());
    }

    private static boolean isNumber(String cell) {
        return cell.isEmpty()
                || cell.equals("-")
                || cell.chars().allMatch(c -> Character.isDigit(c) || c == '.' || c == ',');
    }
}
