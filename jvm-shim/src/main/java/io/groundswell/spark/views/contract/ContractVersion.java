// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract;

/** The version of the documents in this jar; Python's must be the same. */
public final class ContractVersion {
  private ContractVersion() {}

  public static String text() {
    return "1-c0a3d7e6506c";
  }
}
