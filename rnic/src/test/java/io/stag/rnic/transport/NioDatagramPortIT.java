package io.stag.rnic.transport;

import java.io.IOException;

class NioDatagramPortIT extends DatagramPortContract {
    @Override
    Transport newTransport() throws IOException {
        return new NioTransport();
    }
}
