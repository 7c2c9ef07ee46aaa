package io.stag.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The classes scanned here are made on the spot: were they compiled with the tests, they would count as evidence. */
class EvidenceTest {
    private static final Annotation TEST = Annotation.of(ClassDesc.of("org.junit.jupiter.api.Test"));
    private static final Annotation PARAMETERIZED =
            Annotation.of(ClassDesc.of("org.junit.jupiter.params.ParameterizedTest"));
    private static final Annotation DISABLED = Annotation.of(ClassDesc.of("org.junit.jupiter.api.Disabled"));

    @TempDir
    private Path folder;

    private static Annotation conforms(String... items) {
        AnnotationValue[] values =
                Stream.of(items).map(AnnotationValue::ofString).toArray(AnnotationValue[]::new);
        return Annotation.of(
                ClassDesc.of("io.stag.simnet.Conforms"),
                AnnotationElement.of("value", AnnotationValue.ofArray(values)));
    }

    private void compile(String name, List<Annotation> onClass, Map<String, List<Annotation>> onMethods)
            throws IOException {
        byte[] octets = ClassFile.of().build(ClassDesc.of("io.stag.some." + name), type -> {
            type.withFlags(ClassFile.ACC_ABSTRACT);
            type.with(SourceFileAttribute.of("OuterTest.java"));
            type.with(RuntimeVisibleAnnotationsAttribute.of(onClass));
            onMethods.forEach((method, annotations) -> type.withMethod(
                    method,
                    MethodTypeDesc.of(ConstantDescs.CD_void),
                    ClassFile.ACC_ABSTRACT,
                    builder -> builder.with(RuntimeVisibleAnnotationsAttribute.of(annotations))));
        });
        Files.write(folder.resolve(name + ".class"), octets);
    }

    private Evidence scan() throws IOException {
        return Evidence.scan(List.of(folder));
    }

    private static Evidence.Test test(String name) {
        return new Evidence.Test(name, "io/stag/some/OuterTest.java");
    }

    @Test
    void findsAnnotationsOfMethodsAndClasses() throws IOException {
        compile("OuterTest", List.of(conforms("MPA-001")), Map.of("b", List.of(TEST, conforms("MPA-002", "CM-001"))));
        compile("OuterTest$Inner", List.of(), Map.of("a", List.of(conforms("MPA-002"), PARAMETERIZED)));
        Evidence evidence = scan();
        assertThat(evidence.tests()).containsOnlyKeys("CM-001", "MPA-001", "MPA-002");
        assertThat(evidence.of("MPA-001")).containsExactly(test("OuterTest"));
        assertThat(evidence.of("MPA-002")).containsExactly(test("OuterTest#b"), test("OuterTest.Inner#a"));
        assertThat(evidence.of("MPA-003")).isEmpty();
        assertThat(evidence.faults()).isEmpty();
    }

    @Test
    void whatDoesNotRunShowsNothing() throws IOException {
        compile("HelperTest", List.of(), Map.of("helper", List.of(conforms("MPA-001"))));
        compile("SkippedTest", List.of(DISABLED, conforms("MPA-002")), Map.of("a", List.of(TEST, conforms("MPA-003"))));
        compile("PartTest", List.of(), Map.of("a", List.of(TEST, DISABLED, conforms("MPA-004"))));
        Evidence evidence = scan();
        assertThat(evidence.tests()).isEmpty();
        assertThat(evidence.faults())
                .containsExactlyInAnyOrder(
                        "HelperTest#helper shows MPA-001, but is no test that runs",
                        "SkippedTest shows MPA-002, but is no test that runs",
                        "SkippedTest#a shows MPA-003, but is no test that runs",
                        "PartTest#a shows MPA-004, but is no test that runs");
    }
}
