package io.stag.interop;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.stag.cli.Stag;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * {@code stag misbehave} against rping in the guest, one case at a time: rping is started anew for each, and a guest whose
 * kernel a case has broken is booted anew.
 */
final class Misbehaving {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** An answer of an emulated machine takes its time, even more its next connection; siw ends a startup after 10 s. */
    private static final List<String> TIMING = List.of("--wait", "8000", "--patience", "30000");

    private static final String LAST = "nothing-wrong";
    private static final int SHOWN = 10;
    private static final String END_RPING =
            "rm -f /run/rping; killall -q -9 rping; while pidof rping >/dev/null; do usleep 20000; done; ";

    private final Stage stage;
    private final List<String> options;
    private final List<CaseVerdict> verdicts = new ArrayList<>();

    private Misbehaving(Stage stage, List<String> options) {
        this.stage = stage;
        this.options = options;
    }

    /** One case of the catalogue. */
    record Listed(String name, String role, List<String> items) {}

    /** Tries those cases that Stag's role allows. The results are kept beside the capture. */
    static Outcome run(Stage stage, Predicate<Listed> wanted, String... options)
            throws IOException, InterruptedException {
        Files.deleteIfExists(stage.file("json")); // of an earlier run
        Misbehaving misbehaving = new Misbehaving(stage, List.of(options));
        List<String> names = new ArrayList<>(catalogue(stage.file("list.json"), stage.role()).stream()
                .filter(wanted)
                .map(Listed::name)
                .toList());
        names.add(LAST); // is siw still there?
        for (String name : names) {
            if (misbehaving.verdicts.size() % SHOWN == 0) {
                stage.progress(name + ", " + (misbehaving.verdicts.size() + 1) + " of " + names.size() + " cases");
            }
            misbehaving.prepare(stage.role() == Role.STAG_CONNECTS ? END_RPING + misbehaving.server() : END_RPING);
            misbehaving.verdicts.add(misbehaving.tried(name));
        }
        misbehaving.prepare(END_RPING);
        JSON.writeValue(stage.file("json").toFile(), misbehaving.verdicts);
        return misbehaving.outcome();
    }

    /** The verdicts that a cell has left in a file. */
    static List<CaseVerdict> read(Path file) throws IOException {
        return JSON.readValue(file.toFile(), new TypeReference<List<CaseVerdict>>() {});
    }

    private static List<Listed> catalogue(Path file, Role role) throws IOException {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Stag.execute(nowhere, nowhere, "misbehave", "--list", "--json", file.toString());
        String option = role == Role.STAG_CONNECTS ? "--connect" : "--listen";
        List<Listed> all = new ArrayList<>();
        JSON.readTree(file.toFile())
                .forEach(one -> all.add(new Listed(
                        one.path("case").asText(),
                        one.path("role").asText(),
                        JSON.convertValue(one.path("items"), new TypeReference<List<String>>() {}))));
        Files.delete(file);
        return all.stream()
                .filter(one -> one.role().equals(option) || one.role().equals("either"))
                .toList();
    }

    /** A kernel that does not get over the end of rping, or over the case before, is told of and booted anew. */
    private void prepare(String command) throws IOException, InterruptedException {
        try {
            stage.rig().run(command);
        } catch (CellFailure e) {
            if (stage.rig().kernelFault().isEmpty()) {
                throw e;
            }
        }
        String fault = stage.rig().kernelFault();
        if (!fault.isEmpty()) {
            verdicts.set(verdicts.size() - 1, verdicts.getLast().withKernelFault(fault));
            stage.revive();
            stage.rig().run(command);
        }
    }

    private String server() {
        return "(rping -s -P -p " + stage.port() + " >/dev/null 2>&1 </dev/null &); until ss -ltn | grep -q ':"
                + stage.port() + " '; do usleep 20000; done";
    }

    private CaseVerdict tried(String name) throws IOException, InterruptedException {
        Path file = stage.file(name + ".json");
        List<String> arguments = new ArrayList<>(List.of("misbehave", name, "--json", file.toString()));
        arguments.addAll(TIMING);
        arguments.addAll(options);
        try {
            StagRun run = stage.role() == Role.STAG_CONNECTS ? connecting(arguments) : listening(arguments);
            run.await(LIMIT);
            if (!Files.exists(file)) {
                return CaseVerdict.failed(name, run.transcript().tail());
            }
            List<CaseVerdict> written = read(file);
            Files.delete(file);
            return written.getFirst().withKernelFault("");
        } catch (CellFailure e) {
            return CaseVerdict.failed(name, String.valueOf(e.getMessage()));
        }
    }

    private StagRun connecting(List<String> arguments) {
        arguments.addAll(List.of("--connect", stage.link().guest() + ":" + stage.port()));
        return stage.stag(arguments.toArray(String[]::new));
    }

    /** Some cases need a second connection, so rping connects again and again until it is ended. */
    private StagRun listening(List<String> arguments) throws InterruptedException {
        arguments.addAll(List.of("--listen", String.valueOf(stage.port())));
        StagRun run = stage.stagServer(arguments.toArray(String[]::new));
        stage.rig()
                .run("touch /run/rping; (while [ -e /run/rping ]; do rping -c -a "
                        + stage.link().host() + " -p " + stage.port() + "; usleep 100000; done >/dev/null 2>&1"
                        + " </dev/null &)");
        return run;
    }

    private Outcome outcome() {
        List<CaseVerdict> unknown =
                verdicts.stream().filter(verdict -> !verdict.isKnown()).toList();
        if (!unknown.isEmpty()) {
            CaseVerdict first = unknown.getFirst();
            throw new CellFailure(unknown.size() + " of " + verdicts.size() + " cases have no result, the first is "
                    + first.name() + ": " + first.reason());
        }
        if (!verdicts.getLast().verdict().equals(CaseVerdict.CONFORMS)) {
            throw new CellFailure(
                    "siw no longer takes what is right: " + verdicts.getLast().came());
        }
        return Outcome.green(
                verdicts.stream()
                        .filter(verdict -> !verdict.verdict().equals(CaseVerdict.SKIPPED))
                        .count(),
                MisbehavePage.counts(verdicts));
    }
}
