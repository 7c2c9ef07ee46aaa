/** Remote Direct Memory Access Protocol: opcodes, operation headers and Terminate (RFC 5040, RFC 7306). */
package io.stag.wire.rdmap;
