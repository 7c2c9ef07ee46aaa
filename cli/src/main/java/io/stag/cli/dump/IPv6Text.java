package io.stag.cli.dump;

/** IPv6 addresses as RFC 5952 writes them. */
final class IPv6Text {
    private static final int GROUPS = 8;

    private IPv6Text() {}

    static String of(long high, long low) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (int) ((i < 4 ? high : low) >>> ((3 - i % 4) * 16)) & 0xFFFF;
        }
        int bestStart = -1;
        int bestLength = 1; // a single zero group is written out
        for (int start = 0; start < GROUPS; start++) {
            int end = start;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - start > bestLength) {
                bestStart = start;
                bestLength = end - start;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == bestStart) {
                text.append("::");
                i += bestLength - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":");
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
