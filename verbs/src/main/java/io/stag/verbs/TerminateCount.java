package io.stag.verbs;

/**
 * How often one error ended a stream, by the code in the Terminate message.
 *
 * @param code the 16-bit code: layer (4 bits), type (4), code (8)
 * @param meaning the code in words
 * @param sent how often it was sent: the error was found on this side
 * @param received how often it was received: the error was found by the peer
 */
public record TerminateCount(int code, String meaning, long sent, long received) {}
