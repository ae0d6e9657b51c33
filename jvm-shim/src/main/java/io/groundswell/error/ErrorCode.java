package io.groundswell.error;

/** Stable names of what can go wrong; they are part of the public interface. */
public enum ErrorCode {
  /** Bytes on storage are not what was written: torn, truncated, bit-flipped or foreign. */
  CORRUPTION,
  /** A version that was asked for is not there: never committed, or retired by retention. */
  VERSION_UNAVAILABLE,
  /** The file's format number is newer than this build can read. */
  FORMAT_TOO_NEW,
  /** A key, value or option is outside of its limits. */
  INVALID_ARGUMENT,
  /** The call does not fit the state the object is in (closed, committed, aborted). */
  ILLEGAL_STATE,
  /** The storage failed after its bounded retries. */
  STORAGE,
  /**
     Commits that were sealed in memory are gone with their process; the batch must be run again.
   */
  CHECKPOINT_LOST,
  /** Another run has taken over the checkpoint. */
  FENCED,
  /** A changelog contradicts the state it is applied to. */
  INCONSISTENT_CHANGELOG,
  /** An expression of a view cannot be evaluated for a row. */
  ROW_FAILED,
  /** An operator of a view failed, and not for what a row holds. */
  OPERATOR_FAILED,
  /** Another system that rows come from does not answer, or lacks what they need. */
  SOURCE,
  /** A barrier needs more memory than its process has. */
  OUT_OF_MEMORY
}
