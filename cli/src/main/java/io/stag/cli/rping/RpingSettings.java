package io.stag.cli.rping;

/**
 * What the user asked for.
 *
 * @param size octets per ping
 * @param count pings, or 0 for no end
 * @param validate whether content is compared
 * @param verbose whether content is shown
 */
record RpingSettings(int size, int count, boolean validate, boolean verbose) {}
