/** The RDMA verbs API. */
module io.stag.verbs {
    requires static transitive org.jspecify;
}
