package io.stag.cli.misbehave;

/** When a case strikes. */
enum Stage {
    /** Instead of a startup, or in it. */
    STARTUP,
    /** After a startup without fault; a question follows, to see whether the stream goes on. */
    STREAM,
    /** After a startup without fault; no question follows, since none is needed or none can. */
    ENDING,
    /** Whatever happens to its own connection, a new one must work. */
    AFTERWARDS
}
