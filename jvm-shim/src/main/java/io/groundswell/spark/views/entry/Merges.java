package io.groundswell.spark.views.entry;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.views.contract.commits.MergeRequest;
import io.groundswell.spark.views.contract.commits.MergeResult;
import io.groundswell.spark.views.dataflow.state.MergeTasks;
import org.apache.spark.sql.SparkSession;

/** Merges for a pipeline that another application runs. */
public final class Merges {
  private Merges() {}

  /**
   * Merges what is due; nothing refers to the results before their writer was told of them.
   *
   * @param request a {@link MergeRequest}
   * @return a {@link MergeResult}
   */
  public static String run(SparkSession session, String request) {
    return Documents.write(
        MergeTasks.run(classic(session), Documents.read(request, MergeRequest.class)));
  }

  /**
   * Deletes the files of merges that their writer was not told of.
   *
   * @param root what the states stand in
   * @param result the {@link MergeResult}
   */
  public static void discard(SparkSession session, String root, String result) {
    MergeTasks.discard(classic(session), root, Documents.read(result, MergeResult.class));
  }

  private static org.apache.spark.sql.classic.SparkSession classic(SparkSession session) {
    return (org.apache.spark.sql.classic.SparkSession) session;
  }
}
