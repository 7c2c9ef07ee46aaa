package io.stag.fuzz;

import io.stag.fuzz.World.Area;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Writes what {@link Input} reads. */
final class Seed {
    private static final Registry REGISTRY = new Registry(new World());

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static Seed of(int... octets) {
        return new Seed().u8(octets);
    }

    Seed u8(int... octets) {
        for (int octet : octets) {
            out.write(octet);
        }
        return this;
    }

    Seed u16(int number) {
        return u8(number >> 8, number);
    }

    Seed step(Enum<?> step) {
        return u8(step.ordinal());
    }

    /** A step of one of two programs. */
    Seed step(Enum<?> step, int side) {
        return u8(step.ordinal() << 1 | side);
    }

    Seed hex(String hex) {
        out.writeBytes(HexFormat.of().parseHex(hex));
        return this;
    }

    /** The choice of an area's STag, as {@link Requests#stag} takes it, and of an offset inside. */
    Seed target(Area area, int offset) {
        return target(area.stag, offset);
    }

    /** The same for the window that is bound to our queue pair. */
    Seed window(int offset) {
        return target(REGISTRY.windows.getFirst().stag(), offset);
    }

    private Seed target(int stag, int offset) {
        List<Integer> known = new ArrayList<>(REGISTRY.reaches.keySet());
        known.sort(null);
        return u8(known.indexOf(stag), offset);
    }

    byte[] octets() {
        return out.toByteArray();
    }
}
