package io.stag.rnic.datagram;

import org.jspecify.annotations.Nullable;

/** A list through its elements, from the one that has been silent for longest to the one heard last. Allocates nothing. */
@SuppressWarnings("ReferenceEquality") // a list of these very objects
public final class AgeOrder<T extends AgeOrder.Link<T>> {

    /** What an element has to be; the list keeps its neighbours there. */
    public abstract static class Link<T> {
        private @Nullable T older;
        private @Nullable T newer;

        /** For subclasses. */
        protected Link() {}

        /** The next one that was heard later. */
        public final @Nullable T newer() {
            return newer;
        }
    }

    private @Nullable T oldest;
    private @Nullable T newest;

    /** An empty list. */
    public AgeOrder() {}

    /** The one that has been silent for longest, or null. */
    public @Nullable T oldest() {
        return oldest;
    }

    /** The one heard last, or null. */
    public @Nullable T newest() {
        return newest;
    }

    /** An element that is not in the list was heard. */
    public void append(T element) {
        Link<T> link = element;
        T last = newest;
        link.older = last;
        link.newer = null;
        if (last == null) {
            oldest = element;
        } else {
            link(last).newer = element;
        }
        newest = element;
    }

    /** An element of the list was heard. */
    public void touch(T element) {
        if (element != newest) {
            remove(element);
            append(element);
        }
    }

    /** Takes an element out. */
    public void remove(T element) {
        Link<T> link = element;
        T before = link.older;
        T behind = link.newer;
        if (before == null) {
            oldest = behind;
        } else {
            link(before).newer = behind;
        }
        if (behind == null) {
            newest = before;
        } else {
            link(behind).older = before;
        }
        link.older = null;
        link.newer = null;
    }

    /** The fields are the link's own, which a type variable does not show. */
    private Link<T> link(T element) {
        return element;
    }
}
