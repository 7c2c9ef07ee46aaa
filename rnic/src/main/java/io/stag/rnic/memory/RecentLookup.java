package io.stag.rnic.memory;

import org.jspecify.annotations.Nullable;

/**
 * Like {@link StagTable#lookup}, which takes many steps, for one user after the other: most segments go where the one before
 * them went. What an entry grants is looked at each time, and one that was removed grants nothing.
 */
public final class RecentLookup {
    private final StagTable stags;
    private @Nullable StagEntry recent;

    /** Has looked up nothing yet. */
    public RecentLookup(StagTable stags) {
        this.stags = stags;
    }

    /** What an STag grants, or null. */
    public @Nullable Grant lookup(int stag) {
        StagEntry entry = recent;
        Grant grant = entry == null ? null : entry.grant();
        if (grant == null || grant.stag() != stag) {
            grant = stags.lookup(stag);
            recent = grant == null ? null : grant.entry();
        }
        return grant;
    }
}
