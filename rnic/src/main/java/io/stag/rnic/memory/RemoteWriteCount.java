package io.stag.rnic.memory;

import org.jspecify.annotations.Nullable;

/**
 * Segments that peers placed, added up before their region or window counts them: an atomic addition for each would wait until
 * its payload has left the core. Used by one agent.
 */
public final class RemoteWriteCount {
    private @Nullable StagEntry written; // with segments not counted yet
    private long segments;

    /** Nothing was placed yet. */
    public RemoteWriteCount() {}

    /** A segment was placed through {@code entry}. */
    @SuppressWarnings("ReferenceEquality") // the same one as before
    public void add(StagEntry entry) {
        if (written != entry) {
            show();
            written = entry;
        }
        segments++;
    }

    /** Whoever asks from now on finds everything counted. */
    public void show() {
        StagEntry entry = written;
        if (entry != null) {
            entry.countRemoteWrites(segments);
            written = null;
            segments = 0;
        }
    }
}
