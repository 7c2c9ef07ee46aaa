package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.wire.rdmap.TerminateCode;

/** Which Terminate code tells the peer that an access was refused. */
public final class AccessErrors {
    private AccessErrors() {}

    /** Tagged segments: DDP's codes. DDP has none for a missing right; "not associated" comes nearest (RFC 5041 §7.2). */
    public static TerminateCode ofTagged(AccessCheck check) {
        return switch (check) {
            case INVALID_STAG, GONE -> TerminateCode.DDP_TAGGED_INVALID_STAG;
            case WRONG_DOMAIN, RIGHTS -> TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED;
            case WRAP -> TerminateCode.DDP_TAGGED_TO_WRAP;
            case BOUNDS -> TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS;
            case OK -> throw new IllegalArgumentException("nothing was refused");
        };
    }

    /** Sources of Reads and targets of atomics: RDMAP's remote protection errors (RFC 5040, figure 9). */
    public static TerminateCode ofReadOrAtomic(AccessCheck check) {
        return switch (check) {
            case INVALID_STAG, GONE -> TerminateCode.RDMAP_INVALID_STAG;
            case WRONG_DOMAIN -> TerminateCode.RDMAP_STAG_NOT_ASSOCIATED;
            case RIGHTS -> TerminateCode.RDMAP_ACCESS_RIGHTS;
            case WRAP -> TerminateCode.RDMAP_TO_WRAP;
            case BOUNDS -> TerminateCode.RDMAP_BASE_OR_BOUNDS;
            case OK -> throw new IllegalArgumentException("nothing was refused");
        };
    }
}
