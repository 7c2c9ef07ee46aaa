package io.stag.rnic.transport;

import java.io.IOException;

class LinuxSelectIT extends SelectContract {
    @Override
    Transport open() throws IOException {
        return LinuxTests.open();
    }
}
