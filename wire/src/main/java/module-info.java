/** The iWARP wire formats: header flyweights and frame codecs. */
module io.stag.wire {
    requires static transitive org.jspecify;
}
