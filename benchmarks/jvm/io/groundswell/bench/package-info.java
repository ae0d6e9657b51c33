/**
 * State store providers, timed side by side through Spark's own interface.
 *
 * <p>One process measures one figure of one provider. {@link
 * io.groundswell.bench.StoreWorker} reads commands from standard input and answers with one line of
 * JSON each, so the harness decides about warm-up, rounds and order; {@link
 * io.groundswell.bench.Stores} makes a provider as Spark would, {@link io.groundswell.bench.Rows}
 * the data, {@link io.groundswell.bench.Figures} what is timed.
 *
 * <p>Apart from that, {@link io.groundswell.bench.Builds} sets builds of the engine side by side in
 * one JVM, their {@link io.groundswell.bench.CommitBatches} or {@link
 * io.groundswell.bench.RandomGets} taking turns.
 *
 * <p>Keys, and whatever else is not the store's work, are made before the clock starts; each value
 * that is read is looked into.
 */
package io.groundswell.bench;
