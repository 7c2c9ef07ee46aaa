package io.stag.rnic.qp;

import org.jspecify.annotations.Nullable;

/** The steps of an end: each is made whatever became of those before it, and what failed is told at last. */
public final class ClosingSteps {
    private @Nullable RuntimeException failure;

    /** No step was made yet. */
    public ClosingSteps() {}

    /** Makes a step. */
    public void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
    }

    /** All steps were made: throws what the first that failed threw, and with it what others did. */
    public void end() {
        if (failure != null) {
            throw failure;
        }
    }
}
