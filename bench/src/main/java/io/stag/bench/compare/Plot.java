package io.stag.bench.compare;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * A plot over a few places on the horizontal axis, as SVG that stands inside a page: no fonts, scripts or files besides.
 *
 * @param title of the plot
 * @param xLabel horizontal axis, with unit
 * @param yLabel vertical axis, with unit
 * @param places on the horizontal axis, evenly spaced
 * @param lines what is drawn
 * @param style how
 */
public record Plot(String title, String xLabel, String yLabel, List<String> places, List<Line> lines, Style style) {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 440;
    private static final int BACKGROUND_AND_GRID = 0xE6E8EB;
    private static final float THICK = 2f;
    private static final float THIN = 1.4f;
    private static final float[] DASHES = {5f, 4f};
    private static final int[] COLOURS = {
        0x1F2933, 0x829AB1, 0x0B7A75, 0x2F80ED, 0xC0392B, 0xE67E22, 0x8E44AD, 0x2E7D32, 0xAD8B00, 0x6D4C41
    };

    /** How values are drawn. */
    public enum Style {
        LINES,
        /** Lines; the vertical axis is logarithmic. */
        LOGARITHMIC_LINES,
        BARS
    }

    /**
     * One of those compared.
     *
     * @param name for the legend
     * @param values one per place; left out where there is none, or none that the axis can show
     * @param colour index into the palette
     * @param dashed whether the line is dashed
     */
    public record Line(String name, List<Double> values, int colour, boolean dashed) {}

    /** The plot as an SVG element. */
    public String svg() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            VectorGraphicsEncoder.saveVectorGraphic(chart(), out, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        } catch (IOException e) {
            throw new IllegalStateException("in memory nothing can fail", e);
        }
        String document = out.toString(StandardCharsets.UTF_8);
        String names = String.join(", ", lines.stream().map(Line::name).toList());
        return document.substring(document.indexOf("<svg"))
                .replaceFirst(
                        "<svg ",
                        "<svg role=\"img\" aria-label=\"" + Html.text(title + ": " + names)
                                + "\" preserveAspectRatio=\"xMidYMid meet\" ")
                .replaceFirst("height=\"\\d+px\"", "")
                .replaceFirst("width=\"\\d+px\"", "")
                .replaceAll("clip(\\d+)", "clip-" + Integer.toHexString(title.hashCode()) + "-$1")
                .replaceAll("(\\.\\d)\\d+", "$1") // letters are outlines: a tenth of a pixel will do for them
                .strip();
    }

    private CategoryChart chart() {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(xLabel)
                .yAxisTitle(yLabel)
                .build();
        style(chart.getStyler());
        for (Line line : lines) {
            List<@Nullable Double> points = points(line);
            if (points.stream().allMatch(Objects::isNull)) {
                continue;
            }
            CategorySeries series = chart.addSeries(line.name(), places, points);
            Color colour = new Color(COLOURS[line.colour() % COLOURS.length]);
            series.setLineColor(colour);
            series.setFillColor(line.dashed() ? lighter(colour) : colour);
            series.setMarkerColor(colour);
            series.setMarker(line.dashed() ? SeriesMarkers.DIAMOND : SeriesMarkers.CIRCLE);
            series.setLineStyle(
                    line.dashed()
                            ? new BasicStroke(THIN, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, DASHES, 0f)
                            : new BasicStroke(THICK, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
        }
        return chart;
    }

    private List<@Nullable Double> points(Line line) {
        double least = style == Style.LOGARITHMIC_LINES ? Double.MIN_VALUE : Double.NEGATIVE_INFINITY;
        return line.values().stream()
                .<@Nullable Double>map(value -> Double.isFinite(value) && value >= least ? value : null)
                .toList();
    }

    /** Whether there is anything to be seen. */
    boolean isEmpty() {
        return lines.stream().flatMap(line -> points(line).stream()).allMatch(Objects::isNull);
    }

    private void style(CategoryStyler styler) {
        Font plain = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
        styler.setDefaultSeriesRenderStyle(
                style == Style.BARS
                        ? CategorySeries.CategorySeriesRenderStyle.Bar
                        : CategorySeries.CategorySeriesRenderStyle.Line);
        styler.setOverlapped(style != Style.BARS); // points of all lines stand above their place
        styler.setYAxisLogarithmic(style == Style.LOGARITHMIC_LINES);
        styler.setYAxisMin(style == Style.LOGARITHMIC_LINES ? null : (Double) 0.0);
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridLinesColor(new Color(BACKGROUND_AND_GRID));
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setChartTitleFont(plain.deriveFont(Font.BOLD, 15f));
        styler.setLegendFont(plain);
        styler.setAxisTickLabelsFont(plain);
        styler.setAxisTitleFont(plain);
        styler.setMarkerSize(6);
    }

    private static Color lighter(Color colour) {
        return new Color((colour.getRed() + 255) / 2, (colour.getGreen() + 255) / 2, (colour.getBlue() + 255) / 2);
    }
}
