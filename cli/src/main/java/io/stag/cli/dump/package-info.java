/**
 * The dump command. A capture file gives packets, packets give TCP streams, streams give startup frames and FPDUs, those
 * give DDP segments; each stage knows only the one before it and keeps a bounded amount of memory.
 */
@NullMarked
package io.stag.cli.dump;

import org.jspecify.annotations.NullMarked;
