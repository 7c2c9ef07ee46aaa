package io.stag.rnic.reliable;

import org.jspecify.annotations.Nullable;

/** Messages to one peer in the order in which they begin: a list through the messages. */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class OutgoingList {
    private @Nullable Outgoing first;
    private @Nullable Outgoing last;
    private @Nullable Outgoing unbegun; // the first that has not begun

    @Nullable
    Outgoing first() {
        return first;
    }

    @Nullable
    Outgoing firstUnbegun() {
        return unbegun;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** True when messages have begun and are not over. */
    boolean hasBegun() {
        return first != unbegun;
    }

    /** Takes everything out. @return the first of what was here, with the others behind it */
    @Nullable
    Outgoing removeAll() {
        Outgoing all = first;
        first = null;
        last = null;
        unbegun = null;
        return all;
    }

    void append(Outgoing message) {
        Outgoing before = last;
        if (before == null) {
            first = message;
        } else {
            before.next = message;
        }
        last = message;
        if (unbegun == null && !message.begun) {
            unbegun = message;
        }
    }

    /** The first unbegun message begins. */
    void begin() {
        Outgoing message = unbegun;
        if (message == null) {
            throw new IllegalStateException("nothing to begin");
        }
        message.begun = true;
        unbegun = message.next;
    }

    /** Takes the first one out. */
    Outgoing removeFirst() {
        Outgoing message = first;
        if (message == null) {
            throw new IllegalStateException("empty");
        }
        if (message == unbegun) {
            unbegun = message.next;
        }
        first = message.next;
        if (first == null) {
            last = null;
        }
        message.next = null;
        return message;
    }

    /** Nothing begins any more of what is here. */
    void beginNoMore() {
        unbegun = null;
    }
}
