package io.stag.cli.demo;

import io.stag.verbs.CompletionStatus;

/** What happens to a peer that goes too far. */
final class RefusalSteps {
    private RefusalSteps() {}

    /** A Read beyond the end of a region; the connection is lost with it, as on an RNIC. */
    static String refusedRead(Pair.Ends ends) {
        Peer server = ends.server();
        long id = ends.client().nextId();
        ends.client()
                .sends
                .read(id, server.memory.stag(), server.memory.remoteOffset(Peer.MEMORY - 8))
                .into(ends.client().memory, 0, 64);
        Check.equal("requests taken", 1, ends.client().sends.post());
        Completion completion = ends.client().awaitAnyStatus(id);
        Check.isTrue(completion.status() != CompletionStatus.SUCCESS, "a Read beyond the end of a region succeeded");
        Check.equal("status", CompletionStatus.REM_ACCESS_ERR, completion.status());
        return completion.text();
    }
}
