package io.stag.cli.misbehave;

/**
 * A verdict with its reason.
 *
 * @param verdict the verdict
 * @param reason why; empty when it speaks for itself
 */
record Ruling(Verdict verdict, String reason) {}
