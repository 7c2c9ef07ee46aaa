package io.stag.conformance;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keeps the layers apart: which folder may use which, and what only some packages may do. */
class LayerRulesTest {
    private static final JavaClasses STAG = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.stag");

    private static final String[] JDK = {"java..", "javax..", "jdk..", "com.sun.management..", "org.jspecify.."};

    /** Take octets, commands and instants, give octets, deadlines and events: no I/O, no threads, no clock. */
    private static final String[] SANS_IO = {
        "io.stag.wire..", "io.stag.rnic.mpa..", "io.stag.rnic.ddp..", "io.stag.rnic.rdmap..", "io.stag.rnic.datagram..",
    };

    /** Programs: nobody uses them, and they may write to the standard streams. */
    private static final String[] PROGRAMS = {"io.stag.cli..", "io.stag.bench..", "io.stag.interop.."};

    private static final String TRANSPORT = "io.stag.rnic.transport..";

    private static final DescribedPredicate<JavaClass> SOCKETS = resideInAnyPackage("java.nio.channels..")
            .or(belongToAnyOf(Socket.class, ServerSocket.class, DatagramSocket.class))
            .as("sockets and channels");

    private static final DescribedPredicate<JavaClass> STREAMS_AND_FILES = resideInAnyPackage("java.nio.file..")
            .or(assignableTo(InputStream.class))
            .or(assignableTo(OutputStream.class))
            .as("streams and files");

    private static final DescribedPredicate<JavaClass> THREADS = assignableTo(Thread.class)
            .or(assignableTo(Executor.class))
            .or(assignableTo(ThreadFactory.class))
            .or(belongToAnyOf(Executors.class, Timer.class))
            .as("threads");

    private static final DescribedPredicate<JavaClass> CLOCKS =
            assignableTo(InstantSource.class).or(belongToAnyOf(Clock.class)).as("clocks");

    private static final DescribedPredicate<JavaCall<?>> READ_THE_TIME = target(
                    owner(belongToAnyOf(System.class)).and(nameMatching("nanoTime|currentTimeMillis")))
            .or(target(owner(resideInAnyPackage("java.time")).and(nameMatching("now"))))
            .as("read the time");

    private static final DescribedPredicate<JavaCall<?>> MAKE_UNNAMED_THREADS = describe(
            "make executors whose threads have no name",
            call -> call.getTargetOwner().isEquivalentTo(Executors.class)
                    && call.getName().startsWith("new")
                    && call.getTarget().getRawParameterTypes().stream()
                            .noneMatch(parameter -> parameter.isEquivalentTo(ThreadFactory.class)));

    @ParameterizedTest
    @ValueSource(
            strings = {"wire", "verbs", "rnic", "simnet", "testkit", "cli", "bench", "interop"
            }) // a module that is no dependency of this one is not seen
    void theClassesOfEveryModuleAreSeen(String module) {
        assertThat(STAG.that(resideInAnyPackage("io.stag." + module + ".."))).isNotEmpty();
    }

    /** The second column names the other layers that the first may use; all may use the JDK. */
    @ParameterizedTest(name = "{0} uses {1}")
    @CsvSource({
        "wire,    ''",
        "verbs,   ''",
        "simnet,  ''",
        "rnic,    'wire verbs'",
        "sockets, verbs",
        "ripc,    verbs",
        "mpi,     verbs",
        "http,    ripc",
    })
    void aLayerUsesOnlyWhatIsBelowIt(String layer, String below) {
        String[] allowed = Stream.concat(
                        Stream.of(JDK),
                        Stream.concat(Stream.of(layer), Stream.of(below.split(" ", -1)))
                                .filter(name -> !name.isEmpty())
                                .map(name -> "io.stag." + name + ".."))
                .toArray(String[]::new);
        check(classes()
                .that()
                .resideInAPackage("io.stag." + layer + "..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed).or(describe("primitive", LayerRulesTest::isPrimitive))));
    }

    @Test
    void testkitUsesTheRnicTheNetworkAndTestLibraries() {
        check(noClasses()
                .that()
                .resideInAPackage("io.stag.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.stag.cli..", "io.stag.wire..", "info.picocli..", "org.HdrHistogram.."));
    }

    @Test
    void onlyBenchAndTheInteropMatrixUseTheCommandLine() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.stag.cli..", "io.stag.bench..", "io.stag.interop..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.stag.cli.."));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench", "interop"})
    void nobodyUsesALeaf(String leaf) {
        String itself = "io.stag." + leaf + "..";
        check(noClasses()
                .that()
                .resideOutsideOfPackage(itself)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(itself));
    }

    /** What it shows about Stag, it shows about what users have: the commands and the verbs. */
    @Test
    void theInteropMatrixUsesCommandsAndVerbsOnly() {
        check(noClasses()
                .that()
                .resideInAPackage("io.stag.interop..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stag.wire..",
                        "io.stag.rnic..",
                        "io.stag.simnet..",
                        "io.stag.testkit..",
                        "io.stag.cli.*.."));
    }

    @Test
    void onlyTheTransportHasSocketsAndNativeCalls() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.stag.wire..", "io.stag.verbs..", "io.stag.simnet..", "io.stag.rnic..")
                .and()
                .resideOutsideOfPackage(TRANSPORT)
                .should()
                .dependOnClassesThat(SOCKETS.or(belongToAnyOf(Linker.class, SymbolLookup.class))
                        .as("sockets or native calls")));
    }

    @Test
    void wireAndEngineAreSansIo() {
        check(noClasses()
                .that()
                .resideInAnyPackage(SANS_IO)
                .should()
                .dependOnClassesThat(SOCKETS.or(STREAMS_AND_FILES).or(THREADS).or(CLOCKS))
                .orShould()
                .callCodeUnitWhere(READ_THE_TIME));
    }

    @Test
    void onlyProgramsUseTheStandardStreams() {
        check(noClasses().that().resideOutsideOfPackages(PROGRAMS).should(GeneralCodingRules.ACCESS_STANDARD_STREAMS));
    }

    @Test
    void librariesLogThroughTheSystemLoggerOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(PROGRAMS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "org.slf4j..", "org.apache.logging.."));
    }

    @Test
    void everyThreadHasAName() {
        check(noClasses().should().callCodeUnitWhere(MAKE_UNNAMED_THREADS));
    }

    private static boolean isPrimitive(JavaClass type) {
        return type.getBaseComponentType().isPrimitive();
    }

    /** Layers that have no classes yet are no failure; that anything is seen at all is a test of its own. */
    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(STAG);
    }
}
