package io.stag.cli.dump;

/** Takes what was found, in the order of the capture. */
interface DumpOutput {
    /** A connection with MPA was found. */
    void connection(int number, String endpoints);

    /** Two ends that exchange datagrams of datagram-iWARP were found. */
    void datagrams(int number, String endpoints);

    /** A frame, or a remark about a stream. */
    void frame(Frame frame);

    /** Octets of a connection are left out because its startup frames are not in the capture. */
    void withoutStartup(String endpoints, long octets);
}
