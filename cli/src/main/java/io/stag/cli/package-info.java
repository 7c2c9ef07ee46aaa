/** The stag command. */
package io.stag.cli;
