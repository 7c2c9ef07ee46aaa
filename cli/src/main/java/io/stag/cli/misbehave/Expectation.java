package io.stag.cli.misbehave;

import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which reactions to a case the RFCs ask for, which they leave open; all others break them. */
final class Expectation {
    private static final String SHOULD = "a Terminate is only a SHOULD (RDMAP-067)";

    /** Errors that say no more than that something went wrong; never the best answer, always a true one. */
    private static final List<TerminateCode> UNSPECIFIC = List.of(
            TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
            TerminateCode.RDMAP_CATASTROPHIC_STREAM,
            TerminateCode.RDMAP_OPERATION_UNSPECIFIED,
            TerminateCode.DDP_LOCAL_CATASTROPHIC);

    private final Map<Outcome, Ruling> rulings = new EnumMap<>(Outcome.class);
    private final List<Integer> codes;
    private List<Integer> otherCodes = List.of();
    private String otherReason = "";
    private @Nullable Function<PeerFrame, String> replyCheck;

    private Expectation(List<Integer> codes) {
        this.codes = codes;
    }

    /** A Terminate with one of these codes; to close without one is allowed. */
    static Expectation terminates(Integer... codes) {
        return new Expectation(List.of(codes)).may(Outcome.CLOSED, SHOULD);
    }

    /** The stream must go on. */
    static Expectation goesOn() {
        return new Expectation(List.of()).must(Outcome.WENT_ON);
    }

    /** The TCP connection must end without a Terminate. */
    static Expectation closes() {
        return new Expectation(List.of()).must(Outcome.CLOSED);
    }

    /** No more than that the case is over: the RFCs say nothing. */
    static Expectation anything(String reason) {
        Expectation all = new Expectation(List.of());
        Arrays.stream(Outcome.values()).forEach(outcome -> all.may(outcome, reason));
        return all;
    }

    /** An accepting Reply whose content passes a check, which says what is wrong or nothing. */
    static Expectation accepts(Function<PeerFrame, String> check) {
        Expectation expectation =
                new Expectation(List.of()).must(Outcome.ACCEPTED).must(Outcome.WENT_ON);
        expectation.replyCheck = check;
        return expectation;
    }

    /** Another reaction that is as good. */
    Expectation must(Outcome outcome) {
        rulings.put(outcome, new Ruling(Verdict.CONFORMS, ""));
        return this;
    }

    /** A reaction that is left open. */
    Expectation may(Outcome outcome, String reason) {
        rulings.put(outcome, new Ruling(Verdict.ALLOWED, reason));
        return this;
    }

    /** Further codes that sources differ about, or that a peer without the feature sends. */
    Expectation or(String reason, Integer... codes) {
        otherCodes = List.of(codes);
        otherReason = reason;
        return this;
    }

    /** The Terminate is a MUST: to close without one is not enough. */
    Expectation always() {
        rulings.remove(Outcome.CLOSED);
        return this;
    }

    /** Judges what came back. */
    Ruling judge(Observation seen, Stage stage) {
        Outcome outcome = Outcome.of(seen, stage);
        Ruling ruling = rulings.get(outcome);
        if (outcome == Outcome.TERMINATED && ruling == null) {
            return judgeTerminate(seen.terminate().orElseThrow());
        }
        if (ruling == null && seen.end() == StreamEnd.RESET && !codes.isEmpty()) {
            return new Ruling(Verdict.ALLOWED, "a Terminate may have got lost with the reset");
        }
        if (ruling == null) {
            return new Ruling(Verdict.VIOLATION, "due was " + text());
        }
        if (replyCheck != null && seen.reply().isPresent()) {
            String wrong = replyCheck.apply(seen.reply().get());
            return wrong.isEmpty() ? ruling : new Ruling(Verdict.VIOLATION, wrong);
        }
        return ruling;
    }

    private Ruling judgeTerminate(Segment terminate) {
        if (codes.isEmpty() && otherCodes.isEmpty()) {
            return new Ruling(Verdict.VIOLATION, "due was " + text());
        }
        if (terminate.payloadLength() < TerminateHeader.LENGTH) {
            return new Ruling(Verdict.VIOLATION, "the Terminate has no code (RDMAP-012)");
        }
        TerminateHeader header = terminate.terminateHeader();
        int code =
                isExpected(header.code()) || !isExpected(header.swappedCode()) ? header.code() : header.swappedCode();
        if (codes.contains(code)) {
            return new Ruling(Verdict.CONFORMS, "");
        } else if (otherCodes.contains(code)) {
            return new Ruling(Verdict.ALLOWED, otherReason);
        } else if (isRelated(code) || isRelated(header.swappedCode())) {
            return new Ruling(Verdict.ALLOWED, "the right layer; the code would be " + codeText());
        }
        return new Ruling(Verdict.VIOLATION, "due was " + text());
    }

    /** Whether only the order of Linux siw makes sense of a Terminate: layer and type in each other's place. */
    boolean isSwapped(Segment terminate) {
        if (terminate.payloadLength() < TerminateHeader.LENGTH) {
            return false;
        }
        TerminateHeader header = terminate.terminateHeader();
        boolean readable = TerminateCode.of(header.code()).isPresent();
        return isExpected(header.swappedCode()) ? !isExpected(header.code()) : !readable;
    }

    private boolean isExpected(int code) {
        return codes.contains(code) || otherCodes.contains(code);
    }

    /** Another code of a layer that a right code has, or an unspecific one. */
    private boolean isRelated(int code) {
        return TerminateCode.of(code)
                .filter(known -> UNSPECIFIC.contains(known)
                        || Stream.concat(codes.stream(), otherCodes.stream())
                                .flatMap(right -> TerminateCode.of(right).stream())
                                .anyMatch(right -> right.layer() == known.layer()))
                .isPresent();
    }

    /** What is due, for people. */
    String text() {
        Stream<String> terminate = codes.isEmpty() ? Stream.of() : Stream.of("Terminate " + codeText());
        Stream<String> others = rulings.entrySet().stream()
                .filter(entry -> entry.getValue().verdict() == Verdict.CONFORMS)
                .map(entry -> entry.getKey().text());
        return Stream.concat(terminate, others).collect(Collectors.joining(" or "));
    }

    private String codeText() {
        return codes.stream().map(Observation::hex).collect(Collectors.joining(" or "));
    }
}
