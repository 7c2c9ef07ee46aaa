package io.stag.rnic.agent;

/** A task that does what the test says when it is called, whatever for. */
final class ScriptedTask extends Task {
    private final Runnable action;
    long work;
    long settledNanos;

    ScriptedTask(Runnable action) {
        this.action = action;
    }

    @Override
    public int onDoorbell() {
        action.run();
        return 1;
    }

    @Override
    public int onPoll() {
        return 0;
    }

    @Override
    public void onReady() {
        action.run();
    }

    @Override
    public void onDeadline(long nowNanos) {
        action.run();
    }

    @Override
    public long settledDeadline(long nowNanos) {
        return Math.max(settledNanos, deadlineNanos());
    }

    @Override
    public void onFailure(Throwable failure) {
        throw new AssertionError(failure);
    }

    @Override
    protected long workDone() {
        return work;
    }
}
