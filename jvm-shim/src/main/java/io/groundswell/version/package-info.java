/**
 * What a store looks like after a commit, in memory and as bytes.
 *
 * <p>Roles: {@link io.groundswell.version.Version} is the immutable picture: an LSM tree,
 * {@link io.groundswell.version.Levels}, of {@link io.groundswell.version.Run}s and a
 * {@link io.groundswell.version.Catalogue} of tables. {@link io.groundswell.version.ManifestCodec}
 * and {@link io.groundswell.version.CommitFooter} write it to the end of a commit object,
 * {@link io.groundswell.version.CommitReader} reads it back.
 * {@link io.groundswell.version.VersionInvariants} says by name what holds of each.
 *
 * <p>Order of runs: of each row, whatever one run holds is newer than what any later one holds, so
 * the first run that holds a version of a row at or below the read epoch holds the newest such
 * version: a point read stops there. docs/internals/sub-levels.md has the argument.
 *
 * <p>Each version's manifest is complete by itself: there is no chain to replay, no pointer to
 * switch. What makes a version exist is its one object; what removes it is the deletion of that.
 */
package io.groundswell.version;
