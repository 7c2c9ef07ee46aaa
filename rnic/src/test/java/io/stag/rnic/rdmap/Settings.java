package io.stag.rnic.rdmap;

import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.Set;

/** Settings of a stream under test; what is not said is as in the vectors: CRC, no markers, everything allowed. */
final class Settings {
    private boolean initiator = true;
    private boolean crc = true;
    private boolean markersSent;
    private boolean markersReceived;
    private int emss = 1460;
    private int ird = 16;
    private int ord = 16;
    private ReadyToReceive firstMessage;
    private Set<ReadyToReceive> firstMessageTaken = Set.of();
    private boolean allowRemoteRead = true;
    private boolean allowRemoteWrite = true;
    private int firstMsn = 1;

    static Settings initiator() {
        return new Settings();
    }

    static Settings responder() {
        var settings = new Settings();
        settings.initiator = false;
        return settings;
    }

    Settings crc(boolean value) {
        crc = value;
        return this;
    }

    Settings markersSent(boolean value) {
        markersSent = value;
        return this;
    }

    Settings markersReceived(boolean value) {
        markersReceived = value;
        return this;
    }

    Settings emss(int value) {
        emss = value;
        return this;
    }

    Settings ird(int value) {
        ird = value;
        return this;
    }

    Settings ord(int value) {
        ord = value;
        return this;
    }

    Settings firstMessage(ReadyToReceive value) {
        firstMessage = value;
        return this;
    }

    Settings firstMessageTaken(ReadyToReceive... values) {
        firstMessageTaken = Set.of(values);
        return this;
    }

    Settings allowRemoteRead(boolean value) {
        allowRemoteRead = value;
        return this;
    }

    Settings allowRemoteWrite(boolean value) {
        allowRemoteWrite = value;
        return this;
    }

    /** MSN with which all queues begin; 1 on every real stream. */
    Settings firstMsn(int value) {
        firstMsn = value;
        return this;
    }

    int firstMsn() {
        return firstMsn;
    }

    StreamSettings build() {
        return new StreamSettings(
                initiator,
                crc,
                markersSent,
                markersReceived,
                emss,
                ird,
                ord,
                firstMessage,
                firstMessageTaken,
                allowRemoteRead,
                allowRemoteWrite);
    }
}
