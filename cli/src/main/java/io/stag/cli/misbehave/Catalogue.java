package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.goesOn;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All cases, from the startup upwards. */
final class Catalogue {
    /** Begins and ends every run: shows that the peer works at all, and that it still does. */
    static final Case NOTHING_WRONG = Case.of(
                    "nothing-wrong", Role.EITHER, Stage.STREAM, "what a good peer sends", RawPeer::buffers, goesOn())
            .about("RFC 5040 §5.2.1", "RDMAP-029");

    private static final List<Case> CASES = Stream.of(
                    List.of(NOTHING_WRONG),
                    RequestCases.all(),
                    ReplyCases.all(),
                    FramingCases.all(),
                    HeaderCases.all(),
                    MessageCases.all(),
                    WriteCases.all(),
                    ReadCases.all(),
                    InvalidateCases.all(),
                    ExtensionCases.all())
            .flatMap(List::stream)
            .toList();

    private Catalogue() {}

    static List<Case> all() {
        return CASES;
    }

    /** Those that can be tried in a role. */
    static List<Case> of(boolean initiator) {
        return CASES.stream().filter(one -> one.role().fits(initiator)).toList();
    }

    static Optional<Case> named(String name) {
        return CASES.stream().filter(one -> one.name().equals(name)).findFirst();
    }
}
