package io.groundswell.sst;

/** CONTRACT STUB, body follows: the last bytes of an SST section. */
final class SstFooter {
  static final int BYTES = 64;

  private SstFooter() {}
}
