package io.groundswell.spark.shims;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** A method that has one name and got more parameters, at its end, in later versions of Spark. */
final class Widened {
  private final Method method;

  Widened(Class<?> type, String name) {
    method = Arrays.stream(type.getMethods())
                 .filter(each -> each.getName().equals(name))
                 .findFirst()
                 .orElseThrow(()
                                  -> new IllegalStateException(
                                      "this version of Spark has no " + type + "." + name));
  }

  /**
   * @param target null for a static method
   * @param arguments all that any version takes; an older one gets the first of them
   */
  Object call(Object target, Object... arguments) {
    try {
      return method.invoke(target, Arrays.copyOf(arguments, method.getParameterCount()));
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(method + " failed", e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(method + " is not to be called", e);
    }
  }
}
