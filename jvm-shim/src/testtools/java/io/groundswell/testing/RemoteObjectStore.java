package io.groundswell.testing;

import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;

/** A storage on which requests are slow, as on object stores; what it stands on need not be. */
public class RemoteObjectStore extends ForwardingObjectStore {
  public RemoteObjectStore(ObjectStore store) {
    super(store);
  }

  @Override
  public boolean hasHighLatency() {
    return true;
  }
}
