package io.stag.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What Stag writes to the log meanwhile. Any thread. */
final class LogLines implements AutoCloseable {
    private final List<String> lines = new ArrayList<>();
    private final Logger logger = Logger.getLogger("io.stag");
    private final SimpleFormatter formatter = new SimpleFormatter();
    private final Handler handler = new Collector();

    LogLines() {
        logger.addHandler(handler);
    }

    /** All of them so far. */
    synchronized List<String> all() {
        return List.copyOf(lines);
    }

    private synchronized void add(String line) {
        lines.add(line);
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }

    private final class Collector extends Handler {
        @Override
        public void publish(LogRecord record) {
            add(formatter.formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
