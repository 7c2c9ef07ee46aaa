package io.stag.bench;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** What all threads do and which locks they hold, as {@code jstack} shows it. */
final class ThreadDump {
    private ThreadDump() {}

    static String now() {
        var text = new StringBuilder("Threads:\n");
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            text.append('"')
                    .append(thread.getThreadName())
                    .append("\" ")
                    .append(thread.getThreadState())
                    .append('\n');
            LockInfo awaited = thread.getLockInfo();
            if (awaited != null) {
                text.append("    waits for ").append(awaited);
                if (thread.getLockOwnerName() != null) {
                    text.append(" held by \"").append(thread.getLockOwnerName()).append('"');
                }
                text.append('\n');
            }
            for (StackTraceElement frame : thread.getStackTrace()) {
                text.append("        at ").append(frame).append('\n');
            }
            for (LockInfo held : thread.getLockedSynchronizers()) {
                text.append("    holds ").append(held).append('\n');
            }
        }
        return text.toString();
    }
}
