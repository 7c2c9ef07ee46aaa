package io.stag.verbs.cm;

import io.stag.verbs.ErrorDetail;

/** Something that happened to a connection. */
public sealed interface ConnectionEvent {

    /** A peer asks for a connection; it waits in the listener's queue for a decision. */
    record Requested(Listener listener) implements ConnectionEvent {}

    /** The connection can be used. */
    record Established(Connection connection) implements ConnectionEvent {}

    /** The peer refused; {@link Connection#peerPrivateData} may say why. */
    record Rejected(Connection connection, ErrorDetail detail) implements ConnectionEvent {}

    /** The connection could not be made. */
    record Failed(Connection connection, ErrorDetail detail) implements ConnectionEvent {}

    /** The connection ended, for whatever reason. */
    record Disconnected(Connection connection, ErrorDetail detail) implements ConnectionEvent {}
}
