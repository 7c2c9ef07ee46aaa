package io.stag.verbs;

import java.net.InetSocketAddress;

/**
 * Something that went wrong at a datagram queue pair and belongs to no request. The queue pair goes on.
 *
 * @param source whose datagram it was, or, when sending failed, where it should have gone
 * @param detail what was wrong
 */
public record DatagramError(InetSocketAddress source, ErrorDetail detail) {}
