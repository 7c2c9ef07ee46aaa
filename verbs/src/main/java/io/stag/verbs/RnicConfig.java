package io.stag.verbs;

import java.time.Duration;

/** Settings of an RNIC; immutable. Limits are checked when the builder builds. */
public final class RnicConfig {
    private static final RnicConfig DEFAULTS = new Builder().build();

    private final String provider;
    private final String name;
    private final ProgressMode progress;
    private final int agents;
    private final Duration spin;
    private final boolean nativeTransport;
    private final int maxHalfOpenConnections;
    private final Duration startupTimeout;
    private final Duration closeTimeout;
    private final Duration stallThreshold;
    private final boolean jmx;

    private RnicConfig(Builder builder) {
        provider = builder.provider;
        name = builder.name;
        progress = builder.progress;
        agents = builder.agents;
        spin = builder.spin;
        nativeTransport = builder.nativeTransport;
        maxHalfOpenConnections = builder.maxHalfOpenConnections;
        startupTimeout = builder.startupTimeout;
        closeTimeout = builder.closeTimeout;
        stallThreshold = builder.stallThreshold;
        jmx = builder.jmx;
    }

    /** All defaults. */
    public static RnicConfig defaults() {
        return DEFAULTS;
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** See {@link Builder#provider}. */
    public String provider() {
        return provider;
    }

    /** See {@link Builder#name}. */
    public String name() {
        return name;
    }

    /** See {@link Builder#progress}. */
    public ProgressMode progress() {
        return progress;
    }

    /** See {@link Builder#agents}. */
    public int agents() {
        return agents;
    }

    /** See {@link Builder#spin}. */
    public Duration spin() {
        return spin;
    }

    /** See {@link Builder#nativeTransport}. */
    public boolean nativeTransport() {
        return nativeTransport;
    }

    /** See {@link Builder#maxHalfOpenConnections}. */
    public int maxHalfOpenConnections() {
        return maxHalfOpenConnections;
    }

    /** See {@link Builder#startupTimeout}. */
    public Duration startupTimeout() {
        return startupTimeout;
    }

    /** See {@link Builder#closeTimeout}. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** See {@link Builder#stallThreshold}. */
    public Duration stallThreshold() {
        return stallThreshold;
    }

    /** See {@link Builder#jmx}. */
    public boolean jmx() {
        return jmx;
    }

    /** Builds an {@link RnicConfig}. */
    public static final class Builder {
        private String provider = "";
        private String name = "stag0";
        private ProgressMode progress = ProgressMode.SHARED;
        private int agents = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        private Duration spin = Duration.ofNanos(20_000);
        private boolean nativeTransport = true;
        private int maxHalfOpenConnections = 256;
        private Duration startupTimeout = Duration.ofSeconds(5);
        private Duration closeTimeout = Duration.ofSeconds(10);
        private Duration stallThreshold = Duration.ofMillis(10);
        private boolean jmx = true;

        private Builder() {}

        /** Name of the provider wanted; empty takes the first found. Default: empty. */
        public Builder provider(String value) {
            provider = value;
            return this;
        }

        /** Name for people, used in logs, thread names and metrics. Default: {@code stag0}. */
        public Builder name(String value) {
            name = value;
            return this;
        }

        /** Who does the work. Default: {@link ProgressMode#SHARED}. */
        public Builder progress(ProgressMode value) {
            progress = value;
            return this;
        }

        /** Number of agent threads with {@link ProgressMode#DEDICATED}. Default: half the processors; 1 to 64. */
        public Builder agents(int value) {
            agents = check("agents", value, 1, 64);
            return this;
        }

        /**
         * How long a waiting thread polls before it parks; an eighth of it after a wait of more than ten times this, and in
         * the middle of bulk data. Default: 20 microseconds; 0 parks at once; up to a second.
         */
        public Builder spin(Duration value) {
            spin = check("spin", value, Duration.ZERO, Duration.ofSeconds(1));
            return this;
        }

        /** Whether faster system calls are used where the platform and its permissions offer them. Default: true. */
        public Builder nativeTransport(boolean value) {
            nativeTransport = value;
            return this;
        }

        /**
         * Connections in set-up at once. For a further one the oldest whose Request is incomplete is closed, or it is
         * closed itself when all wait for a decision of the program. Default: 256; 1 to 65,536.
         */
        public Builder maxHalfOpenConnections(int value) {
            maxHalfOpenConnections = check("maxHalfOpenConnections", value, 1, 65_536);
            return this;
        }

        /** How long the set-up of a connection that a peer made may take, our decision included. Default: 5 s. */
        public Builder startupTimeout(Duration value) {
            startupTimeout = check("startupTimeout", value, Duration.ofMillis(1), Duration.ofMinutes(10));
            return this;
        }

        /** How long an orderly close or a Terminate may take before the stream is reset. Default: 10 s. */
        public Builder closeTimeout(Duration value) {
            closeTimeout = check("closeTimeout", value, Duration.ofMillis(1), Duration.ofMinutes(10));
            return this;
        }

        /**
         * A duty cycle that takes longer counts as a stall of its agent. Default: 10 ms; 10 microseconds to 10 minutes.
         */
        public Builder stallThreshold(Duration value) {
            stallThreshold = check("stallThreshold", value, Duration.ofNanos(10_000), Duration.ofMinutes(10));
            return this;
        }

        /** Whether the RNIC registers with the platform's JMX server, where there is one. Default: true. */
        public Builder jmx(boolean value) {
            jmx = value;
            return this;
        }

        /** The finished configuration. */
        public RnicConfig build() {
            return new RnicConfig(this);
        }

        private static int check(String setting, int value, int min, int max) {
            if (value < min || value > max) {
                throw refused(setting, value, min, max);
            }
            return value;
        }

        private static Duration check(String setting, Duration value, Duration min, Duration max) {
            if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                throw refused(setting, value, min, max);
            }
            return value;
        }

        private static VerbsException refused(String setting, Object value, Object min, Object max) {
            return new VerbsException(
                    VerbsError.INVALID_ARGUMENT, setting + " " + value + " is outside " + min + " to " + max);
        }
    }
}
