/**
 * Packs: objects that commits of many stores share, so that a batch costs a few writes.
 *
 * <p>There are two users, Spark's own operators (docs/rfcs/0003) and pipelines (docs/rfcs/0014),
 * and one family of classes:
 *
 * <table>
 * <caption>Roles</caption>
 * <tr><th>role</th><th>for both</th><th>Spark's operators</th><th>pipelines</th></tr>
 * <tr><td>where a commit goes</td><td>{@code Destination}</td><td>{@code Uploader}</td>
 *     <td>{@code OpenPacks}</td></tr>
 * <tr><td>bytes in memory</td><td>{@code Pack}</td><td></td><td>{@code EpochPack}</td></tr>
 * <tr><td>what is in packs</td><td>{@code PackIndex}</td><td>{@code PackIndexFile}: an object of
 * its own</td><td>{@code PackTrailer}: at the pack's end</td></tr> <tr><td>reading
 * packs</td><td>{@code PackFolder}</td><td>{@code BatchPacks}</td> <td>{@code EpochPacks}</td></tr>
 * <tr><td>what a store finds there</td><td>{@code CommitSpace}</td><td>{@code BatchSpace}</td>
 *     <td>{@code EpochSpace}</td></tr>
 * <tr><td>what may go</td><td></td><td>{@code BatchPackRetention}</td>
 *     <td>{@code EpochPackRetention}</td></tr>
 * </table>
 *
 * <p>When packs become durable is the flush policy. A task that commits is given its {@code
 * Destination}; no thread remembers one. {@code FlushPolicy} has those of pipelines: when a task
 * ends, when all tasks of a process have ended, beside the barriers that come, or at a checkpoint
 * some barriers later. Spark's operators have one, the batch: the driver has executors flush before
 * it lets Spark record the batch ({@code RunLedger}).
 *
 * <p>{@code Ownership} is the claim whose token fences an older run, of both users.
 *
 * <p>Invariants: a pack's bytes never change, and a commit's place in it is final when it is taken;
 * nothing is evicted from memory before it is durable; a batch or an epoch is published only when
 * each commit that it names is durable; only the owner deletes packs.
 */
package io.groundswell.checkpoint;
