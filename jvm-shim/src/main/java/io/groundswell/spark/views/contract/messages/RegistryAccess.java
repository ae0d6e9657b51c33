// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.messages;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A schema registry, and what lets a client in.
 *
 * @param urls of its servers, without a slash at the end; they are asked in this order
 * @param user of HTTP's basic authentication; null: without
 * @param password of that user
 * @param authorities certificates in PEM that sign those of the servers; null: Java's own
 * @param timeout how long to wait for an answer, in milliseconds
 */
public record RegistryAccess(List<String> urls, String user, String password, String authorities,
    long timeout) implements Serializable {
  private static final long serialVersionUID = 1L;

  public RegistryAccess {
    urls = Checks.list(urls, "urls");
  }
}
