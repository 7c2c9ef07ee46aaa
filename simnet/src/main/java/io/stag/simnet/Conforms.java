package io.stag.simnet;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The conformance items that a test, or all tests of a class, show: {@code @Conforms("MPA-012")}. The items stand in
 * {@code docs/conformance}; {@code docs/conformance.md} is made from these annotations, and the build fails on an item
 * that does not exist.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Conforms {
    /**
     * The items.
     *
     * @return numbers such as {@code "DDP-007"}
     */
    String[] value();
}
