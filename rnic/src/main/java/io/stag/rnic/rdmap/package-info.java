/**
 * RDMAP and DDP (RFC 5040, 5041, 7306) over one stream: messages out, segments in, Terminate. No I/O, no clock; memory is
 * touched only after every check has passed.
 */
@NullMarked
package io.stag.rnic.rdmap;

import org.jspecify.annotations.NullMarked;
