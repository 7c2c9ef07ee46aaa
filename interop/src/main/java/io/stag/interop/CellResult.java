package io.stag.interop;

/**
 * A row of the matrix.
 *
 * @param cell its name
 * @param settings what is special about it
 * @param role who connects
 * @param link how
 * @param siw variant of siw
 * @param status how it ended
 * @param iterations what was verified, counted
 * @param fpdusToSiw FPDUs from Stag, from the capture
 * @param fpdusFromSiw FPDUs from siw, from the capture
 * @param alignedToSiw FPDUs from Stag that lie inside one TCP segment
 * @param seconds how long it took
 * @param capture file name; empty when there is none
 * @param remark what is worth knowing, or why it is not green
 */
record CellResult(
        String cell,
        String settings,
        String role,
        String link,
        String siw,
        Status status,
        long iterations,
        long fpdusToSiw,
        long fpdusFromSiw,
        long alignedToSiw,
        double seconds,
        String capture,
        String remark) {}
