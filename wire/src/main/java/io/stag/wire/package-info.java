/**
 * What all layers of the wire format share: octet order, CRC32C and serial number arithmetic.
 *
 * <p>The flyweights in the packages below read and write octets and judge nothing: whether a version, an opcode or a
 * combination of fields is acceptable is decided by the engine.
 */
package io.stag.wire;
