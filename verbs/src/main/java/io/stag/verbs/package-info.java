/** The RDMA verbs API. */
package io.stag.verbs;
