/**
 * What a store looks like after a commit, in memory and as bytes.
 *
 * <p>Roles: {@link io.groundswell.version.Version} is the immutable picture: a list of
 * {@link io.groundswell.version.Run}s (sub-levels, newest first) and a
 * {@link io.groundswell.version.Catalogue} of tables. {@link io.groundswell.version.ManifestCodec}
 * and {@link io.groundswell.version.CommitFooter} write it to the end of a commit object,
 * {@link io.groundswell.version.CommitReader} reads it back.
 * {@link io.groundswell.version.VersionInvariants} says by name what holds of each.
 *
 * <p>Order of sub-levels: a commit at epoch e puts one run with all entries of epoch e on top; a
 * merge replaces neighbouring runs by one. So the epoch ranges of runs are disjoint and fall from
 * the first to the last, and the first run that holds a version of a row at or below the read epoch
 * holds the newest such version: a point read stops there.
 *
 * <p>Each version's manifest is complete by itself: there is no chain to replay, no pointer to
 * switch. What makes a version exist is its one object; what removes it is the deletion of that.
 */
package io.groundswell.version;
