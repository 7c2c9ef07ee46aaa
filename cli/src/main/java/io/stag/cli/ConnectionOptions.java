package io.stag.cli;

import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.ConnectionConfig;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options about the set-up of connections. */
public final class ConnectionOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--crc",
            paramLabel = "on|off",
            description = "Ask for CRC32C; used when either side asks. Default: ${DEFAULT-VALUE}.")
    private OnOff crc = OnOff.ON;

    @Option(
            names = "--markers",
            paramLabel = "on|off",
            description = "Ask the peer for MPA Markers; Linux siw refuses. Default: ${DEFAULT-VALUE}.")
    private OnOff markers = OnOff.OFF;

    @Option(
            names = "--mpa-revision",
            paramLabel = "1|2",
            description = "Revision of MPA: RFC 5044 or RFC 6581. Default: ${DEFAULT-VALUE}.")
    private int mpaRevision = 2;

    @Option(
            names = "--p2p",
            paramLabel = "on|off",
            description = "Peer-to-peer model of RFC 6581, either side may speak first. Default: ${DEFAULT-VALUE}.")
    private OnOff peerToPeer = OnOff.ON;

    /** For picocli. */
    public ConnectionOptions() {}

    /** The settings chosen. */
    public ConnectionConfig config() {
        try {
            return ConnectionConfig.builder()
                    .crc(crc.isOn())
                    .markers(markers.isOn())
                    .mpaRevision(mpaRevision)
                    .peerToPeer(peerToPeer.isOn() && mpaRevision == 2)
                    .build();
        } catch (VerbsException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
