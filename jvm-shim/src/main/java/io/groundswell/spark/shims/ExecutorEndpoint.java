package io.groundswell.spark.shims;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.RpcTimeout;
import scala.Function1;
import scala.PartialFunction;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.FutureConverters;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Through which the driver asks an executor. Plugins can only speak the other way; Spark's own RPC
 * is private to it, but open in bytecode.
 */
public final class ExecutorEndpoint implements RpcEndpoint {
  /** A dead executor is noticed at once, a stuck one after this long. */
  private static final RpcTimeout TIMEOUT = new RpcTimeout(
      new FiniteDuration(1, java.util.concurrent.TimeUnit.HOURS), "an hour, which is fixed");

  private final RpcEnv env;
  private final Function<Object, CompletionStage<?>> handler;

  private ExecutorEndpoint(RpcEnv env, Function<Object, CompletionStage<?>> handler) {
    this.env = env;
    this.handler = handler;
  }

  /** Opens one in this JVM; what it returns can be sent to the driver. */
  public static RpcEndpointRef open(String name, Function<Object, CompletionStage<?>> handler) {
    RpcEnv env = SparkEnv.get().rpcEnv();
    return env.setupEndpoint(name, new ExecutorEndpoint(env, handler));
  }

  /** Asks; fails if the executor is gone. */
  public static CompletionStage<Object> ask(Object ref, Object message) {
    return FutureConverters.asJava(
        ((RpcEndpointRef) ref).<Object>ask(message, TIMEOUT, Scala.classTag(Object.class)));
  }

  public static void close(RpcEndpointRef ref) {
    SparkEnv.get().rpcEnv().stop(ref);
  }

  @Override
  public RpcEnv rpcEnv() {
    return env;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
    return new AbstractPartialFunction<Object, BoxedUnit>() {
      @Override
      public boolean isDefinedAt(Object message) {
        return true;
      }

      @Override
      @SuppressWarnings("unchecked")
      public <A, B> B applyOrElse(A message, Function1<A, B> otherwise) {
        answer(message, context);
        return (B) BoxedUnit.UNIT;
      }
    };
  }

  private void answer(Object message, RpcCallContext context) {
    try {
      handler.apply(message).whenComplete((result, error) -> {
        if (error == null) {
          context.reply(String.valueOf(result));
        } else {
          context.sendFailure(error);
        }
      });
    } catch (RuntimeException e) {
      context.sendFailure(e);
    }
  }
}
