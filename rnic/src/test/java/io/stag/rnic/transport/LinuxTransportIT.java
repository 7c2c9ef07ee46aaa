package io.stag.rnic.transport;

import java.io.IOException;

class LinuxTransportIT extends TransportContract {
    @Override
    Transport open() throws IOException {
        return LinuxTests.open();
    }
}
