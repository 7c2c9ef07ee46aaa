package io.stag.rnic.transport;

import java.io.IOException;

class NioTransportIT extends TransportContract {
    @Override
    Transport open() throws IOException {
        return new NioTransport();
    }
}
