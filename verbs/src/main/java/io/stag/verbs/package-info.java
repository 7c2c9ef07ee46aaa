/**
 * RDMA verbs for Java: the API that programs use. A provider, found by {@link java.util.ServiceLoader}, does the work.
 */
@NullMarked
package io.stag.verbs;

import org.jspecify.annotations.NullMarked;
