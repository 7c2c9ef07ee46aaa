package io.stag.interop;

import java.util.ArrayList;
import java.util.List;

/** All cells, in the order in which they run. */
final class Catalogue {
    private Catalogue() {}

    static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        cells.addAll(RpingCells.cells());
        cells.addAll(ProgramCells.cells());
        cells.addAll(PathCells.cells());
        cells.addAll(MisbehaveCells.cells());
        cells.addAll(RefusalCells.cells()); // the last of them ends the guest
        return cells;
    }
}
