package io.stag.rnic.reliable.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** Visits every state that can be reached, the nearest first, so that the way to a violation is a shortest one. */
final class ModelSearch {
    private static final int LONGEST_KEY = 256;

    /**
     * What was found.
     *
     * @param states number of states
     * @param depth steps to the farthest of them
     * @param trace the steps to a violation and what it is; empty if there is none
     */
    record Result(int states, int depth, List<String> trace) {
        boolean holds() {
            return trace.isEmpty();
        }
    }

    private final ModelRules rules;
    private final ReliableModel model;
    private final List<byte[]> states = new ArrayList<>();
    private int[] parents = new int[1 << 16];
    private int[] table = new int[1 << 18];
    private final byte[] room = new byte[LONGEST_KEY];
    private int expanding = -1;
    private int violating = -1;
    private String violation = "";

    ModelSearch(ModelRules rules) {
        this.rules = rules;
        this.model = new ReliableModel(rules);
    }

    Result run() {
        ModelState state = ModelState.first();
        add(state);
        int depth = 0;
        int levelEnd = 0;
        for (int i = 0; i < states.size() && violating < 0; i++) {
            if (i > levelEnd) {
                depth++;
                levelEnd = states.size() - 1;
            }
            state.decode(states.get(i));
            expanding = i;
            model.successors(state, (_, _, next) -> add(next));
            String end = model.fairContinuation(state);
            if (violating < 0 && !end.isEmpty()) {
                violating = i;
                violation = end;
            }
        }
        return new Result(states.size(), depth, violating < 0 ? List.of() : trace());
    }

    private void add(ModelState state) {
        byte[] key = state.encode(room);
        int slot = slot(key);
        if (table[slot] == 0) {
            states.add(key);
            int index = states.size();
            table[slot] = index;
            if (index > parents.length) {
                parents = Arrays.copyOf(parents, parents.length * 2);
            }
            parents[index - 1] = expanding;
            if (index * 2L > table.length) {
                grow();
            }
        }
        if (!state.violation.isEmpty() && violating < 0) {
            violating = table[slot(key)] - 1;
            parents[violating] = expanding;
            violation = state.violation;
        }
    }

    private int slot(byte[] key) {
        int mask = table.length - 1;
        int hash = Arrays.hashCode(key) * 0x9E3779B9;
        int slot = (hash ^ hash >>> 15) & mask;
        while (table[slot] != 0 && !Arrays.equals(states.get(table[slot] - 1), key)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        table = new int[table.length * 2];
        for (int i = 0; i < states.size(); i++) {
            table[slot(states.get(i))] = i + 1;
        }
    }

    /** Goes back to the first state, then finds the names of the steps. */
    private List<String> trace() {
        Deque<byte[]> way = new ArrayDeque<>();
        for (int i = violating; i >= 0; i = parents[i]) {
            way.addFirst(states.get(i));
        }
        List<String> trace = new ArrayList<>();
        ModelState from = new ModelState();
        from.decode(way.removeFirst());
        for (byte[] to : way) {
            List<String> steps = new ArrayList<>();
            new ReliableModel(rules).successors(from, (step, argument, next) -> {
                if (Arrays.equals(next.encode(new byte[LONGEST_KEY]), to)) {
                    steps.add(ReliableModel.text(step, argument));
                }
            });
            trace.add(steps.getFirst());
            from.decode(to);
        }
        trace.add(violation);
        return trace;
    }
}
