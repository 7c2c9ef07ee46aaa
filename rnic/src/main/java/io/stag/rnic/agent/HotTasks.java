package io.stag.rnic.agent;

import java.util.ArrayList;
import java.util.List;

/**
 * The tasks that had input lately. They are asked for more in every duty cycle, without a look at the selector, which
 * need not report them meanwhile. Under the agent's lock.
 */
final class HotTasks {
    /** Tasks polled directly. */
    private static final int MOST = 8;
    /** A task without input for so many cycles is not hot any more. */
    private static final int HOT_CYCLES = 2_000;
    /** A hot task with so many inputs since the agent last slept is not watched by the selector any more. */
    private static final int UNWATCHED_AFTER = 256;

    private final List<Task> tasks = new ArrayList<>(MOST);
    private int cycle;
    private boolean crowded; // more tasks are active than can be hot: the selector serves all alike

    HotTasks() {}

    /** A duty cycle begins. */
    void beginCycle() {
        cycle++;
    }

    boolean isCrowded() {
        return crowded;
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    int size() {
        return tasks.size();
    }

    /** Looks for input of all, unless the selector serves them. @return amount of work done */
    int poll() {
        if (crowded) {
            return 0;
        }
        int work = 0;
        for (int i = tasks.size() - 1; i >= 0; i--) {
            Task task = tasks.get(i);
            int done;
            try { // not through guarded: the JIT would make this loop slower
                done = task.onPoll();
            } catch (RuntimeException | VirtualMachineError failure) {
                task.endAfter(failure);
                done = 1;
            }
            work += done;
            if (done == 0 && task.hot && cycle - task.hotUntilCycle > 0) {
                cool(task);
            }
        }
        return work;
    }

    /**
     * {@code task} just had input, so more is likely soon.
     *
     * @param selecting somebody is in the selector, who must be told of input
     * @return whether it will be polled for more
     */
    boolean heat(Task task, boolean selecting) {
        task.hotUntilCycle = cycle + HOT_CYCLES;
        if (!task.hot) {
            if (!crowded && tasks.size() < MOST) {
                task.hot = true;
                tasks.add(task);
            }
        } else if (!task.unwatched && ++task.inputs >= UNWATCHED_AFTER && !crowded && !selecting) {
            task.unwatched = true; // whoever is going to sit in the selector undoes it
            task.inputIsPolled(true);
        }
        return task.hot && !crowded;
    }

    /** Not hot any more. */
    void cool(Task task) {
        if (task.hot) {
            task.hot = false;
            tasks.remove(task);
            watch(task);
        }
    }

    /** Nobody may poll for a while. */
    void pause() {
        for (int i = tasks.size() - 1; i >= 0; i--) {
            tasks.get(i).guarded(Task::onPause);
        }
    }

    /** The selector is to report input of all, since nobody will poll. @return false when one had to end for that */
    boolean watchAll() {
        boolean all = true;
        for (int i = tasks.size() - 1; i >= 0; i--) {
            all &= watch(tasks.get(i));
        }
        return all;
    }

    private static boolean watch(Task task) {
        task.inputs = 0;
        if (task.unwatched) {
            task.unwatched = false;
            try {
                task.inputIsPolled(false);
            } catch (RuntimeException | VirtualMachineError failure) { // the system may have no memory left for it
                task.endAfter(failure);
                return false;
            }
        }
        return true;
    }

    /** The selector reported so many tasks in this cycle. */
    void reported(int count) {
        crowded = count > 0 && count + unreported() > MOST;
        if (crowded) {
            watchAll();
        }
    }

    /** Tasks that had input in this very cycle, which the selector was not to report. */
    private int unreported() {
        int active = 0;
        for (int i = tasks.size() - 1; i >= 0; i--) {
            Task task = tasks.get(i);
            active += task.unwatched && task.hotUntilCycle == cycle + HOT_CYCLES ? 1 : 0;
        }
        return active;
    }
}
