package io.stag.rnic.rdmap;

/** A Read or Atomic Request of the peer that waits for its response: a slot that is filled again and again. */
final class InboundRequest {
    boolean atomic;
    int sinkStag;
    long sinkOffset;
    int sourceStag;
    long sourceOffset;
    long size;
    long answered; // octets of the Read already sent
    int msn;
    int atomicOpcode;
    int requestIdentifier;
    long operand;
    long operandMask;
    long compare;
    long compareMask;
}
