package io.stag.rnic.reliable.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.reliable.model.ModelRules.Fault;
import io.stag.rnic.reliable.model.ModelSearch.Result;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goes through everything that two ends and a network can do, for small windows, few messages and few lives. The figures stand
 * in {@code docs/reliable-datagram.md}; the large configurations run with {@code -Dstag.model=large}.
 */
class ReliableModelTest {
    /** A tick is 10 s of the default settings: remember 60 s, give-up 10 s, idle 20 s, lifetime below 20 s. */
    private static ModelRules coarse(int messages) {
        return ModelRules.of(messages, 1, 6, 1, 2);
    }

    /** A tick is 5 s of the default settings. */
    private static ModelRules fine(int messages) {
        return ModelRules.of(messages, 3, 12, 2, 4);
    }

    static Stream<Arguments> small() {
        return Stream.of(
                Arguments.of("one life each, 3 messages, put off", coarse(3).puttingOff()),
                Arguments.of(
                        "one life each, 2 messages, put off, few sources, fine clock",
                        fine(2).puttingOff().withFewSources()),
                Arguments.of("2 lives of A, 2 messages", coarse(2).lives(2, 1)),
                Arguments.of(
                        "2 lives of B, 2 messages, answers",
                        coarse(2).lives(1, 2).answering()),
                Arguments.of(
                        "2 lives each, 1 message, put off, few sources, answers",
                        coarse(1).lives(2, 2).puttingOff().withFewSources().answering()),
                Arguments.of("3 lives each, 1 message", coarse(1).lives(3, 3)));
    }

    static Stream<Arguments> large() {
        return Stream.of(
                Arguments.of(
                        "one life each, 3 messages, put off, few sources, fine clock",
                        fine(3).puttingOff().withFewSources()),
                Arguments.of(
                        "2 lives of B, 2 messages, put off, few sources, answers",
                        coarse(2).lives(1, 2).puttingOff().withFewSources().answering()),
                Arguments.of(
                        "2 lives of A, 2 messages, put off, few sources",
                        coarse(2).lives(2, 1).puttingOff().withFewSources()),
                Arguments.of(
                        "3 lives each, 1 message, few sources, answers",
                        coarse(1).lives(3, 3).withFewSources().answering()),
                Arguments.of(
                        "2 lives each, 2 messages, few sources",
                        coarse(2).lives(2, 2).withFewSources()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("small")
    void nothingIsTakenTwiceOutOfOrderOrByTheWrongLife(String name, ModelRules rules) {
        holds(name, rules);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("large")
    @EnabledIfSystemProperty(
            named = "stag.model",
            matches = "large",
            disabledReason = "takes minutes and gigabytes; ask for it with -Dstag.model=large")
    void norInLargerConfigurations(String name, ModelRules rules) {
        holds(name, rules);
    }

    private static void holds(String name, ModelRules rules) {
        Result result = new ModelSearch(rules).run();
        System.out.printf("Model check, %s: %,d states, %d steps deep%n", name, result.states(), result.depth());
        assertThat(result.trace()).as(name).isEmpty();
    }

    static Stream<Arguments> faults() {
        ModelRules two = ModelRules.of(2, 2, 6, 1, 2);
        return Stream.of(
                Arguments.of(Fault.SOURCES_BY_ADDRESS, two.lives(2, 1), "which never had it"),
                Arguments.of(Fault.PEER_EPOCH_IGNORED, two.lives(1, 2), "still it is not delivered"),
                Arguments.of(Fault.NAMES_IGNORED, two.lives(2, 1), "which never had it"),
                Arguments.of(Fault.STREAM_NUMBERS_REUSED, two, "which never had it"),
                Arguments.of(Fault.GIVES_WAY_BY_STREAM, two.puttingOff().withFewSources(), "twice"),
                Arguments.of(Fault.OUT_OF_ORDER, two, "without the one before it"));
    }

    /** A search that never finds anything shows nothing. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void findsWhatGoesWrongWithoutARule(Fault fault, ModelRules rules, String consequence) {
        fails(fault.toString(), rules.with(fault), consequence);
    }

    @Test
    void findsThatMemoryIsTooShort() {
        fails("remember = lifetime + give-up", ModelRules.of(1, 2, 3, 1, 1), "twice");
    }

    /** The bound without RD-024: remember - give-up - idle. */
    @Test
    void findsThatPuttingOffNeedsAShorterLifetime() {
        ModelRules rules = ModelRules.of(1, 5, 12, 2, 4);
        assertThat(new ModelSearch(rules).run().trace()).isEmpty();
        fails("2 lifetime + give-up = remember", rules.puttingOff(), "twice");
        assertThat(new ModelSearch(ModelRules.of(1, 4, 12, 2, 4).puttingOff())
                        .run()
                        .trace())
                .isEmpty();
    }

    @Test
    void findsAStreamThatOutlivesItsMemory() {
        fails(
                "lifetime = remember - 2 give-up - idle",
                ModelRules.of(2, 2, 6, 1, 2).puttingOff(),
                "still it is not delivered");
    }

    private static void fails(String name, ModelRules rules, String consequence) {
        Result result = new ModelSearch(rules).run();
        System.out.printf("Model check, %s: found after %,d states%n", name, result.states());
        result.trace().forEach(step -> System.out.println("    " + step));
        assertThat(result.trace()).as(name).isNotEmpty();
        assertThat(result.trace().getLast()).contains(consequence);
    }
}
