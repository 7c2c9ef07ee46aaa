package io.stag.rnic.transport;

import java.io.IOException;

class NioSelectIT extends SelectContract {
    @Override
    Transport open() throws IOException {
        return new NioTransport();
    }
}
