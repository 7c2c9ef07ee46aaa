/** The RDMA verbs API. */
module io.stag.verbs {
    requires static org.jspecify;
}
