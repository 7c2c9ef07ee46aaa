package io.stag.cli.misbehave;

import com.google.gson.annotations.SerializedName;

/** What is to be thought of a reaction. */
enum Verdict {
    /** What the RFC asks for. */
    @SerializedName("conforms")
    CONFORMS("conforms", false),
    /** Something else that the RFC leaves open. */
    @SerializedName("allowed")
    ALLOWED("allowed", false),
    /** Something that the RFC forbids. */
    VIOLATION("VIOLATION", true),
    /** The peer lacks what the case needs. */
    @SerializedName("skipped")
    SKIPPED("skipped", false),
    /** The case could not be carried out. */
    FAILED("FAILED", true);

    private final String text;
    private final boolean bad;

    Verdict(String text, boolean bad) {
        this.text = text;
        this.bad = bad;
    }

    String text() {
        return text;
    }

    boolean isBad() {
        return bad;
    }
}
