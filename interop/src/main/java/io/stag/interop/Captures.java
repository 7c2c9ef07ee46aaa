package io.stag.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The captures of one cell: one, and one more for each time that the guest had to be booted anew. */
final class Captures {
    private static final String ID = "capture";

    private final Rig rig;
    private final Cell cell;
    private final Path folder;
    private final List<Path> files = new ArrayList<>();

    Captures(Rig rig, Cell cell, Path folder) {
        this.rig = rig;
        this.cell = cell;
        this.folder = folder;
    }

    void start() throws IOException {
        Path file = folder.resolve(cell.fileName() + (files.isEmpty() ? "" : "-" + (files.size() + 1)) + ".pcap");
        rig.qmp().startCapture(ID, cell.link(), file);
        files.add(file);
    }

    /** Completes the file; with the guest it has ended already. */
    void stop() throws IOException {
        rig.stopCapture(ID);
    }

    CaptureReport report() {
        return CaptureReport.of(files, cell.role().port());
    }

    /** Names of the files, in their order. */
    String names() {
        return files.stream().map(file -> file.getFileName().toString()).collect(Collectors.joining(" "));
    }
}
