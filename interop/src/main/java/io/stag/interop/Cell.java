package io.stag.interop;

/**
 * One combination of peer program, roles and settings.
 *
 * @param name unique; words separated by slashes, from the general to the particular
 * @param settings what is special about it, for the reader of the matrix
 * @param role who connects
 * @param link how
 * @param variant variant of siw in the guest
 * @param wire what the capture must show
 * @param leastFpdus how many FPDUs it must show each way
 * @param work what is done
 */
record Cell(String name, String settings, Role role, Link link, String variant, Wire wire, long leastFpdus, Work work) {
    static final String STOCK = "stock";

    /** What the capture of a cell must show. */
    enum Wire {
        /** Connections with MPA, and no anomaly. */
        CLEAN,
        /** Connections with MPA; something breaks off on purpose, so the last FPDU may be cut. */
        BROKEN_OFF,
        /** Anything. */
        ANY
    }

    /** The work of a cell: throws {@link CellFailure} when something is not as it should be. */
    @FunctionalInterface
    interface Work {
        Outcome run(Stage stage) throws Exception;
    }

    /** The name as part of file names. */
    String fileName() {
        return name.replace('/', '-');
    }

    /** The same in the guest's terms: which variant, which card. */
    Cell on(Link otherLink, String otherVariant) {
        return new Cell(name, settings, role, otherLink, otherVariant, wire, leastFpdus, work);
    }

    /** With another demand on the capture. */
    Cell expecting(Wire otherWire) {
        return new Cell(name, settings, role, link, variant, otherWire, leastFpdus, work);
    }

    /** With a number of FPDUs that the capture must show each way. */
    Cell with(long otherFpdus) {
        return new Cell(name, settings, role, link, variant, wire, otherFpdus, work);
    }

    /** A cell on user-mode networking with siw as it is in Linux. */
    static Cell of(String name, String settings, Role role, Work work) {
        return new Cell(name, settings, role, Link.USER, STOCK, Wire.CLEAN, 0, work);
    }
}
