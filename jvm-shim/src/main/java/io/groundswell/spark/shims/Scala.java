package io.groundswell.spark.shims;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import scala.Function1;
import scala.Option;
import scala.PartialFunction;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;
import scala.reflect.ClassTag;
import scala.runtime.AbstractFunction0;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/** Scala's collections and functions, as Java sees them. */
public final class Scala {
  private Scala() {}

  public static <T> Seq<T> seq(List<? extends T> items) {
    return CollectionConverters.<T>asScala(List.<T>copyOf(items)).toList();
  }

  public static <T> List<T> list(scala.collection.Iterable<T> items) {
    return List.copyOf(CollectionConverters.asJava(items.toSeq()));
  }

  public static <T> Option<T> none() {
    return Option.empty();
  }

  public static <T> Optional<T> optional(Option<T> option) {
    return OptionConverters.toJava(option);
  }

  public static <T> ClassTag<T> classTag(Class<? super T> type) {
    return ClassTag.apply(type);
  }

  /** Throws any exception without declaring it, as Scala does: {@code throw unchecked(e)}. */
  @SuppressWarnings("unchecked")
  public static <E extends Exception> RuntimeException unchecked(Exception e) throws E {
    throw (E) e;
  }

  /** Calls {@code body} through one of Spark's "run this with ..." methods. */
  public static <T> scala.Function0<T> body(Supplier<T> body) {
    return new AbstractFunction0<T>() {
      @Override
      public T apply() {
        return body.get();
      }
    };
  }

  /** A test for Scala's {@code exists} and the like. */
  public static <T> Function1<T, Object> function(Predicate<T> test) {
    return new AbstractFunction1<T, Object>() {
      @Override
      public Object apply(T item) {
        return test.test(item);
      }
    };
  }

  public static <A, B> Function1<A, B> mapping(java.util.function.Function<A, B> function) {
    return new AbstractFunction1<A, B>() {
      @Override
      public B apply(A argument) {
        return function.apply(argument);
      }
    };
  }

  /** A rule for {@code TreeNode.transform}; it gives back its argument where nothing changes. */
  public static <T> PartialFunction<T, T> rule(UnaryOperator<T> rule) {
    return new AbstractPartialFunction<T, T>() {
      @Override
      public boolean isDefinedAt(T node) {
        return true;
      }

      @Override
      @SuppressWarnings("unchecked")
      public <A extends T, B> B applyOrElse(A node, Function1<A, B> otherwise) {
        return (B) rule.apply(node);
      }
    };
  }
}
