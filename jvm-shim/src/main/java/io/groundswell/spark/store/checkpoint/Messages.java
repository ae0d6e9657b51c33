package io.groundswell.spark.store.checkpoint;

import io.groundswell.checkpoint.FinishedCommit;
import java.io.Serializable;
import org.apache.spark.rpc.RpcEndpointRef;

/**
 * What driver and executors say to each other about checkpoints; never stored. To an executor only
 * strings go: its RPC does not see classes of jars that an application brings.
 */
final class Messages {
  private Messages() {}

  /** Executor to driver: this is how I am asked. */
  record Register(String executor, RpcEndpointRef endpoint) implements Serializable {}

  /**
   * Executor to driver: may commits of this run wait? Answered by the owner's id, or null.
   *
   * @param root folder that all stores of the checkpoint are in
   */
  record MayDefer(String root, String runId) implements Serializable {}

  /**
   * Executor to driver: a commit was made. Answered by a string, why it is refused,
   * or an array of packs that it had better leave, or null.
   */
  record Commit(String root, String owner, long version, String executor, FinishedCommit commit,
      boolean replaceable) implements Serializable {}

  /** Driver to executor: make what you have sealed of this version durable. */
  record Flush(String root, String owner, long version) {
    String[] encode() {
      return new String[] {root, owner, Long.toString(version)};
    }

    static Flush decode(Object message) {
      if (message instanceof String[] parts && parts.length == 3) {
        return new Flush(parts[0], parts[1], Long.parseLong(parts[2]));
      }
      throw new IllegalArgumentException("no request to flush: " + message);
    }
  }
}
