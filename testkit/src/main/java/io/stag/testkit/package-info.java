/** Provider contract suites, and the RNIC on the seeded network for tests of RDMA programs. */
package io.stag.testkit;
