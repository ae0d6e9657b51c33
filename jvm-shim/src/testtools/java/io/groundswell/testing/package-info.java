/**
 * Storage that fails, for tests and benchmarks; in a jar of its own ({@code setup.py
 * build_test_tools}), never in the released one.
 *
 * <p>Roles: a {@link io.groundswell.testing.FaultInjector} counts operations, adds {@link
 * io.groundswell.testing.Latency} and asks a {@link io.groundswell.testing.FaultPlan} what is to go
 * wrong; {@link io.groundswell.testing.FaultyObjectStore} puts it before an {@code ObjectStore},
 * {@link io.groundswell.testing.FaultyFileSystem} before local files as a Hadoop file system.
 * {@link io.groundswell.testing.MemoryObjectStore} is a storage on the heap, {@link
 * io.groundswell.testing.Seeds} runs random tests, {@link io.groundswell.testing.ChangelogCatalog}
 * has a table for {@code readStream.changes}.
 *
 * <p>Invariant: the same plan and the same sequence of operations of each kind give the same
 * faults.
 */
package io.groundswell.testing;
