package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The simulation can only be a function of its seed if it asks nobody else. */
class NoRealTimeTest {
    private static final Set<String> FORBIDDEN_CALLS = Set.of(
            "java/lang/System.nanoTime", "java/lang/System.currentTimeMillis", "java/lang/System.identityHashCode");
    private static final Set<String> FORBIDDEN_TYPES = Set.of(
            "java/lang/Thread",
            "java/time/Instant",
            "java/time/Clock",
            "java/util/Random",
            "java/util/concurrent/ThreadLocalRandom",
            "java/util/concurrent/Executors",
            "java/util/Timer",
            "java/security/SecureRandom");

    private static List<String> forbidden(Path classFile) throws IOException {
        ClassModel model = ClassFile.of().parse(classFile);
        List<String> found = new ArrayList<>();
        for (PoolEntry entry : model.constantPool()) {
            if (entry instanceof MemberRefEntry member) {
                String name =
                        member.owner().asInternalName() + "." + member.name().stringValue();
                if (FORBIDDEN_CALLS.contains(name)) {
                    found.add(classFile.getFileName() + " calls " + name);
                }
            } else if (entry instanceof ClassEntry type && FORBIDDEN_TYPES.contains(type.asInternalName())) {
                found.add(classFile.getFileName() + " uses " + type.asInternalName());
            }
        }
        return found;
    }

    @Test
    void theSimulationKnowsNoWallClockNoThreadsAndNoOtherRandomness() throws IOException, URISyntaxException {
        Path classes = Path.of(SimNetwork.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Path> files;
        try (Stream<Path> all = Files.walk(classes)) {
            files = all.filter(p -> p.toString().endsWith(".class"))
                    // fresh seeds are drawn outside of any run
                    .filter(p -> !p.getFileName().toString().startsWith("Seeds"))
                    .toList();
        }
        assertThat(files).hasSizeGreaterThan(10);
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            found.addAll(forbidden(file));
        }
        assertThat(found).isEmpty();
    }
}
