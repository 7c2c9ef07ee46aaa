/** Marker PDU Aligned framing for TCP: startup frames, FPDUs and Markers (RFC 5044, RFC 6581). */
package io.stag.wire.mpa;
