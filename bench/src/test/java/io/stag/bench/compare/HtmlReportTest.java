package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class HtmlReportTest {
    private static String page;
    private static Document document;

    @BeforeAll
    static void makeTheReport() throws Exception {
        page = HtmlReport.page(FakeBench.report()).toString();
        document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(page)));
    }

    private static List<Element> all(String name) {
        NodeList nodes = document.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    @Test
    void fourPlotsNameTheirLines() {
        assertThat(all("svg"))
                .extracting(svg -> svg.getAttribute("aria-label"))
                .containsExactly(
                        "Latency: tcp-lat, framed-lat, framed-lat, no CRC, write-lat, write-lat, no CRC",
                        "Latency percentiles, 64 octets: tcp-lat, framed-lat, framed-lat, no CRC, write-lat, write-lat,"
                                + " no CRC",
                        "Bandwidth: tcp-bw, framed-bw, framed-bw, no CRC, write-bw, write-bw, no CRC",
                        "Processor time of bandwidth tests: tcp-bw, framed-bw, framed-bw, no CRC, write-bw, write-bw,"
                                + " no CRC");
        assertThat(all("svg")).allMatch(svg -> svg.getElementsByTagName("path").getLength() > 10);
    }

    @Test
    void nothingIsFetched() {
        assertThat(page.replace("http://www.w3.org/", "")).doesNotContain("http", "src=", "<script", "@import");
    }

    @Test
    void identifiersAreUnique() {
        assertThat(all("clipPath")).extracting(clip -> clip.getAttribute("id")).doesNotHaveDuplicates();
    }

    @Test
    void theTablesHaveFiguresAndRatios() {
        assertThat(all("table")).hasSize(2);
        List<String> cells = all("td").stream().map(Element::getTextContent).toList();
        assertThat(cells).containsSequence("write-lat", "64", "4.00", "4.00..4.00", "2.00 (2.00..2.00)");
        assertThat(cells).containsSequence("write-bw", "64k", "500", "500..500", "0.50 (0.50..0.50)");
    }

    @Test
    void whatUsersOrLibrariesSayIsOnlyText() {
        assertThat(page).contains("not measured: &lt;nobody&gt; &amp; none");
    }
}
