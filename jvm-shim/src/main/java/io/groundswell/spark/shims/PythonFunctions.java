package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.api.python.PythonBroadcast;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.api.python.SimplePythonFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PythonFuncExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;

/** Calls of Python functions. */
public final class PythonFunctions {
  /** {@code PythonEvalType.SQL_SCALAR_ARROW_UDF}: takes arrays of Arrow. */
  private static final int ARROW_SCALAR = 250;

  /** {@code PythonEvalType.SQL_BATCHED_UDF}: takes the values of one row. */
  private static final int SCALAR = 100;

  private PythonFunctions() {}

  /** The bytes that Python made of a function. */
  public static byte[] command(PythonFunction function) {
    List<Object> command = Scala.list(function.command());
    byte[] bytes = new byte[command.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (Byte) command.get(i);
    }
    return bytes;
  }

  /** The interpreter of the first Python function in a plan; null if the plan has none. */
  public static String interpreter(LogicalPlan plan) {
    for (Expression each : Scala.list(plan.expressions())) {
      Optional<Expression> call =
          Scala.optional(each.find(Scala.function(part -> part instanceof PythonUDF)));
      if (call.isPresent()) {
        return ((PythonUDF) call.get()).func().pythonExec();
      }
    }
    return Scala.list(plan.children())
        .stream()
        .map(PythonFunctions::interpreter)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** By id of a broadcast variable of the function, the file that holds its value here. */
  public static Map<Long, String> broadcasts(PythonFunction function) {
    Map<Long, String> files = new TreeMap<>();
    for (Broadcast<PythonBroadcast> each : function.broadcastVars()) {
      files.put(each.id(), each.value().path());
    }
    return files;
  }

  /** A scalar call of what is another kind of function still, until it is {@link #wrapped}. */
  public static PythonUDF scalar(
      PythonFuncExpression call, DataType type, List<Expression> arguments) {
    return new PythonUDF(call.name(), call.func(), type, Scala.seq(arguments), ARROW_SCALAR,
        call.udfDeterministic(), Catalyst.newExprId());
  }

  /**
   * The same for a table function, which gives the rows of one call. Unlike other functions these
   * are not deterministic unless they say so, which nobody does.
   */
  public static PythonUDF table(
      PythonFuncExpression call, DataType type, List<Expression> arguments) {
    return new PythonUDF(
        call.name(), call.func(), type, Scala.seq(arguments), SCALAR, true, Catalyst.newExprId());
  }

  /** The same call of a function that has the called one inside, with all that this one needs. */
  public static PythonUDF wrapped(PythonUDF call, PythonFunction by) {
    PythonFunction inner = call.func();
    List<Broadcast<PythonBroadcast>> broadcasts = new ArrayList<>(inner.broadcastVars());
    broadcasts.addAll(by.broadcastVars());
    PythonFunction function =
        new SimplePythonFunction(by.command(), inner.envVars(), inner.pythonIncludes(),
            inner.pythonExec(), inner.pythonVer(), broadcasts, inner.accumulator());
    return new PythonUDF(call.name(), function, call.dataType(), call.children(), call.evalType(),
        call.udfDeterministic(), call.resultId());
  }
}
