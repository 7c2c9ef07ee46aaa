package io.stag.bench;

import io.stag.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What went wrong: exceptions that are no {@link VerbsException}, and everything that Stag itself reports as its own bug
 * in the log. Any thread.
 */
final class Failures implements AutoCloseable {
    private static final String BUG = "a bug in Stag";

    private final List<Program.Failure> found = new ArrayList<>();
    private final Logger logger = Logger.getLogger("io.stag"); // kept: the log manager would forget it
    private final Handler handler = new BugHandler();

    /** Listens to the log instead of the console: expected warnings by the thousand would hide the rest. */
    Failures() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, error) -> add("thread " + thread.getName() + " died", error));
    }

    /** Something that may be refused, but in no other way than with a {@link VerbsException}. */
    interface Call {
        void run();
    }

    /** Runs a call into Stag. @return false when it was refused */
    boolean attempt(String what, Call call) {
        try {
            call.run();
            return true;
        } catch (VerbsException _) {
            return false;
        } catch (RuntimeException | Error e) {
            add(what, e);
            return false;
        }
    }

    void add(String what, Throwable cause) {
        add(new Program.Failure(what + ": " + cause, cause));
    }

    void add(String what) {
        add(new Program.Failure(what));
    }

    /** Looks whether a text of Stag admits a bug. */
    void checkText(String text) {
        if (text.contains(BUG)) {
            add(text);
        }
    }

    private synchronized void add(Program.Failure failure) {
        found.add(failure);
    }

    synchronized List<Program.Failure> all() {
        return List.copyOf(found);
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
        Thread.setDefaultUncaughtExceptionHandler(null);
    }

    private final class BugHandler extends Handler {
        @Override
        public void publish(LogRecord record) {
            String text = String.valueOf(record.getMessage());
            if (record.getLevel().intValue() >= Level.SEVERE.intValue() || text.contains(BUG)) {
                Throwable thrown = record.getThrown();
                Failures.this.add(
                        thrown == null
                                ? new Program.Failure("logged: " + text)
                                : new Program.Failure("logged: " + text + ": " + thrown, thrown));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
