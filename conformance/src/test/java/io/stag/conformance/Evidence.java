package io.stag.conformance;

import io.stag.simnet.Conforms;
import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which tests show which items, read from the {@link Conforms} annotations in class files. No class is loaded.
 *
 * @param tests by item; the order is that of the names, on every machine
 * @param faults annotations that show nothing, since what they stand on does not run
 */
record Evidence(Map<String, Set<Test>> tests, List<String> faults) {
    private static final String CONFORMS = Conforms.class.descriptorString();
    private static final String DISABLED = "Lorg/junit/jupiter/api/Disabled;";
    private static final Set<String> TEST_ANNOTATIONS = Set.of(
            "Lorg/junit/jupiter/api/Test;",
            "Lorg/junit/jupiter/api/RepeatedTest;",
            "Lorg/junit/jupiter/api/TestFactory;",
            "Lorg/junit/jupiter/api/TestTemplate;",
            "Lorg/junit/jupiter/params/ParameterizedTest;",
            "Lcom/code_intelligence/jazzer/junit/FuzzTest;");

    /**
     * A test method, or a test class when its annotation is meant for all of its methods.
     *
     * @param name class without package, {@code #}, method
     * @param source file below its source folder
     */
    record Test(String name, String source) implements Comparable<Test> {
        @Override
        public int compareTo(Test other) {
            int byName = name.compareTo(other.name);
            return byName != 0 ? byName : source.compareTo(other.source);
        }
    }

    static Evidence scan(List<Path> classFolders) throws IOException {
        Evidence evidence = new Evidence(new TreeMap<>(), new ArrayList<>());
        for (Path folder : classFolders) {
            List<Path> files;
            try (Stream<Path> all = Files.walk(folder)) {
                files = all.filter(path -> path.toString().endsWith(".class"))
                        .sorted()
                        .toList();
            }
            for (Path file : files) {
                evidence.add(ClassFile.of().parse(file));
            }
        }
        return evidence;
    }

    Set<Test> of(String item) {
        return tests.getOrDefault(item, Set.of());
    }

    private void add(ClassModel type) {
        String binaryName = type.thisClass().asInternalName();
        int slash = binaryName.lastIndexOf('/');
        String name = binaryName.substring(slash + 1).replace('$', '.');
        String source = type.findAttribute(Attributes.sourceFile())
                .map(file ->
                        binaryName.substring(0, slash + 1) + file.sourceFile().stringValue())
                .orElse(binaryName + ".java");
        boolean disabled = has(type, Set.of(DISABLED));
        add(items(type), new Test(name, source), !disabled);
        for (MethodModel method : type.methods()) {
            Test test = new Test(name + "#" + method.methodName().stringValue(), source);
            add(items(method), test, !disabled && has(method, TEST_ANNOTATIONS) && !has(method, Set.of(DISABLED)));
        }
    }

    private void add(List<String> items, Test test, boolean runs) {
        for (String item : items) {
            if (runs) {
                tests.computeIfAbsent(item, key -> new TreeSet<>()).add(test);
            } else {
                faults.add(test.name() + " shows " + item + ", but is no test that runs");
            }
        }
    }

    private static List<Annotation> annotations(AttributedElement element) {
        return element.findAttribute(Attributes.runtimeVisibleAnnotations())
                .map(attribute -> attribute.annotations())
                .orElse(List.of());
    }

    private static boolean has(AttributedElement element, Set<String> descriptors) {
        return annotations(element).stream()
                .anyMatch(annotation ->
                        descriptors.contains(annotation.className().stringValue()));
    }

    private static List<String> items(AttributedElement element) {
        List<String> items = new ArrayList<>();
        for (Annotation annotation : annotations(element)) {
            if (!annotation.className().stringValue().equals(CONFORMS)) {
                continue;
            }
            for (AnnotationElement value : annotation.elements()) {
                collect(value.value(), items);
            }
        }
        return items;
    }

    private static void collect(AnnotationValue value, List<String> items) {
        if (value instanceof AnnotationValue.OfArray array) {
            array.values().forEach(each -> collect(each, items));
        } else if (value instanceof AnnotationValue.OfString text) {
            items.add(text.stringValue());
        }
    }
}
