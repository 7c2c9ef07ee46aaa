package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatagramAddressTest {

    /** Else it would not be the address that answers come from: the kernel names the interface of no other. */
    @ParameterizedTest
    @CsvSource({"fe80::1, 3", "ff02::1, 3", "ff01::1, 3", "::1, 0", "fd53::1, 0", "2001:db8::1, 0", "ff0e::1, 0"})
    void anInterfaceBelongsToAddressesOfALinkOnly(String address, int scope) throws UnknownHostException {
        byte[] octets = InetAddress.ofLiteral(address).getAddress();
        InetSocketAddress scoped = new InetSocketAddress(Inet6Address.getByAddress(null, octets, 3), 7);
        assertThat(new DatagramAddress(scoped).scope()).isEqualTo(scope);
    }
}
