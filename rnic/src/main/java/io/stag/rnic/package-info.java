/** The software RNIC, a provider of the verbs. */
package io.stag.rnic;
