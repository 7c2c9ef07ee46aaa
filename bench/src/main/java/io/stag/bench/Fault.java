package io.stag.bench;

import java.time.Duration;

/** What is done to a connection in use, and what the end that stays learns it by. */
enum Fault {
    /** The kernel of the dead process closes its sockets. */
    KILLED_RESPONDER("kill -9 of the peer that had accepted", Way.DIRECT, Watch.TCP, true),
    /** The same the other way round: this end had accepted. */
    KILLED_INITIATOR("kill -9 of the peer that had connected", Way.TO_US, Watch.TCP, true),
    /** As by a firewall that has forgotten the connection. */
    RESET("reset in the middle of a transfer", Way.RELAY, Watch.TCP, true),
    /** Both kernels go on acknowledging, so that TCP finds nothing wrong. */
    SILENT_RELAY("silent relay, transfers under way", Way.RELAY, Watch.PROBE, true),
    /** The same without anything to send. */
    SILENT_RELAY_IDLE("silent relay, idle connection", Way.RELAY, Watch.PROBE, false),
    /** Its window closes. */
    STOPPED_READING("peer that stops reading", Way.RELAY, Watch.PROGRESS, true),
    /** The process lives and does nothing. */
    FROZEN("peer process stopped (SIGSTOP)", Way.DIRECT, Watch.PROBE, true),
    /** Packets vanish, transfers under way. */
    CABLE_PULLED("cable pulled, transfers under way", Way.CABLE, Watch.PROGRESS, true),
    /** Packets vanish, and nobody has anything to send. */
    CABLE_PULLED_IDLE("cable pulled, idle connection", Way.CABLE, Watch.PROBE, false);

    /** How the two ends are joined. */
    enum Way {
        /** We connect to the peer. */
        DIRECT,
        /** The peer connects to us. */
        TO_US,
        /** We connect to the peer through a relay. */
        RELAY,
        /** We connect to the peer in a network namespace behind a router. */
        CABLE
    }

    /** What finds the fault. */
    enum Watch {
        /** TCP itself; nothing is configured. */
        TCP,
        /** {@link io.stag.verbs.cm.ConnectionConfig.Builder#livenessProbe}. */
        PROBE,
        /** {@link io.stag.verbs.cm.ConnectionConfig.Builder#sendProgressTimeout}. */
        PROGRESS
    }

    final String text;
    final Way way;
    final Watch watch;
    final boolean busy;

    Fault(String text, Way way, Watch watch, boolean busy) {
        this.text = text;
        this.way = way;
        this.watch = watch;
        this.busy = busy;
    }

    /**
     * Times configured.
     *
     * @param probe silence after which the peer is asked, and again so long for the answer
     * @param progress time without progress in sending
     * @param slack what may be added to that, for a machine that has other things to do
     */
    record Times(Duration probe, Duration progress, Duration slack) {

        /** The time within which the fault should be known. */
        Duration of(Watch watch) {
            return switch (watch) {
                case TCP -> Duration.ZERO;
                case PROBE -> probe.multipliedBy(2);
                case PROGRESS -> progress;
            };
        }
    }
}
