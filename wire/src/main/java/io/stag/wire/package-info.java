/** The iWARP wire formats: header flyweights and frame codecs. */
package io.stag.wire;
