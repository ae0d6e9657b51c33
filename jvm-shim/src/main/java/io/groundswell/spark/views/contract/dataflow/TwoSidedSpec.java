// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import java.util.List;

/**
 * A join of two inputs. Its columns are the left ones, then the right ones or the flag, if any.
 */
public sealed interface TwoSidedSpec extends StatefulSpec permits JoinSpec, TemporalJoinSpec {
  /** Which rows it gives. */
  String joinType();

  /** Refs of the left columns that must equal the right ones; null equals nothing. */
  List<String> leftKeys();

  /** Refs of these; none: every row meets every other. */
  List<String> rightKeys();

  /** Refs of what tells left rows apart. */
  List<String> leftKey();

  /** Refs of what tells right rows apart. */
  List<String> rightKey();

  /** Id of what else a pair must meet; null: nothing. */
  String residual();
}
