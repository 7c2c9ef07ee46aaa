package io.stag.interop;

/** How the host and the guest reach each other. */
enum Link {
    /** User-mode networking: QEMU ends TCP on both sides and cuts the stream anew, like a middle box. Needs no root. */
    USER("user", "127.0.0.1", "10.0.2.2", "eth0"),

    /** A tap device: TCP end to end. */
    TAP("tap", "10.77.0.2", "10.77.0.1", "eth1");

    private final String device;
    private final String guest;
    private final String host;
    private final String guestDevice;

    Link(String device, String guest, String host, String guestDevice) {
        this.device = device;
        this.guest = guest;
        this.host = host;
        this.guestDevice = guestDevice;
    }

    /** QEMU's name of it. */
    String device() {
        return device;
    }

    /** Address of the guest as the host sees it. */
    String guest() {
        return guest;
    }

    /** Address of the host as the guest sees it. */
    String host() {
        return host;
    }

    /** Name of the network device in the guest. */
    String guestDevice() {
        return guestDevice;
    }
}
