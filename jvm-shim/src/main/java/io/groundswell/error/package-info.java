/**
 * What the engine raises on purpose: one exception class, told apart by a stable code.
 *
 * <p>{@link io.groundswell.error.ErrorCode} is part of the public interface: a code keeps its name
 * and meaning, callers in Java and Python decide by it. The message of an {@link
 * io.groundswell.error.EngineException} says what happened, with which values, and what to do.
 * Any package may use this one; it uses none.
 */
package io.groundswell.error;
