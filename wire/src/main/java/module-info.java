/** Header flyweights and frame codecs of iWARP: MPA, DDP and RDMAP. No I/O, no threads, no clock. */
module io.stag.wire {
    requires static transitive org.jspecify;

    exports io.stag.wire;
    exports io.stag.wire.datagram;
    exports io.stag.wire.ddp;
    exports io.stag.wire.mpa;
    exports io.stag.wire.rdmap;
}
