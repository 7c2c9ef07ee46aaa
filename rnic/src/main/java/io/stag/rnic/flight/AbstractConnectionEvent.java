package io.stag.rnic.flight;

import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionSnapshot;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/** What the events of connections have in common. */
@Registered(false)
@Category({"Stag", "Connection"})
@StackTrace(false)
abstract sealed class AbstractConnectionEvent extends Event permits ConnectionSetupEvent, ConnectionLifeEvent {
    @Label("RNIC")
    protected String rnic = "";

    @Label("Connection")
    @Description("Number of the connection within its RNIC")
    protected long connection;

    @Label("Queue Pair")
    @Description("0 when no program accepted the request")
    protected int queuePair;

    @Label("Initiator")
    @Description("Whether this side asked for the connection")
    protected boolean initiator;

    @Label("Local Address")
    protected String localAddress = "";

    @Label("Remote Address")
    protected String remoteAddress = "";

    @Label("MPA Revision")
    @Description("0 when nothing was agreed on")
    protected int revision;

    @Label("CRC")
    protected boolean crc;

    @Label("Markers Sent")
    protected boolean markersSent;

    @Label("Markers Received")
    protected boolean markersReceived;

    @Label("Peer to Peer")
    protected boolean peerToPeer;

    @Label("Cause")
    @Description("Why it failed or ended: layer, fact and clause")
    protected String cause = "";

    AbstractConnectionEvent() {}

    final void describe(String rnicName, Connection of) {
        ConnectionSnapshot snapshot = of.snapshot();
        rnic = rnicName;
        connection = snapshot.id();
        queuePair = snapshot.queuePair();
        initiator = snapshot.initiator();
        localAddress = Addresses.text(snapshot.localAddress());
        remoteAddress = Addresses.text(snapshot.remoteAddress());
        snapshot.info().ifPresent(this::describe);
        cause = of.cause().map(Object::toString).orElse("");
    }

    private void describe(ConnectionInfo info) {
        revision = info.revision();
        crc = info.crc();
        markersSent = info.markersSent();
        markersReceived = info.markersReceived();
        peerToPeer = info.peerToPeer();
    }
}
