/** Direct Data Placement: the two segment headers and their control octets (RFC 5041). */
package io.stag.wire.ddp;
