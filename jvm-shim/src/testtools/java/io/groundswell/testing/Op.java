package io.groundswell.testing;

/** What is asked of a storage: each kind is counted, slowed down and made to fail by itself. */
public enum Op {
  /** Starting an object: costs nothing on an object store. */
  CREATE,
  /** Handing bytes to an object that is not yet visible. */
  WRITE,
  /** Publishing an object. */
  PUT,
  /** Asking for an object's length. */
  HEAD,
  /** One range of an object. */
  GET,
  LIST,
  DELETE,
  /** A server-side copy, where files are published by renaming. */
  RENAME
}
