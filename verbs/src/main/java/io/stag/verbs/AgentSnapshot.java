package io.stag.verbs;

/**
 * One agent, that is one loop which drives queue pairs, at one moment. Counts begin with the RNIC.
 *
 * @param name its name, that of its thread if it has one
 * @param dutyCycles rounds of the loop
 * @param busyCycles of these, rounds that found something to do
 * @param doorbells times that posted requests were seen to
 * @param selects times that the transport was asked which streams are ready
 * @param waits of these, times that a thread was ready to sleep until one is
 * @param stalls cycles that took longer than {@link RnicConfig#stallThreshold}
 * @param longestCycleNanos the longest cycle. With {@link ProgressMode#INVOKER} only every sixteenth cycle is timed, unless a
 *     flight recording asks for stalls
 * @param stagingBuffers staging buffers in use by streams
 * @param stagingOctets memory of all staging buffers, in use or kept for the next
 * @param timers streams with a deadline
 * @param hotStreams streams polled in every cycle, because they had input lately
 */
public record AgentSnapshot(
        String name,
        long dutyCycles,
        long busyCycles,
        long doorbells,
        long selects,
        long waits,
        long stalls,
        long longestCycleNanos,
        int stagingBuffers,
        long stagingOctets,
        int timers,
        int hotStreams) {}
