package io.groundswell.testing;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** A store behind a {@link FaultInjector}: counted, slow and failing as told. */
public final class FaultyObjectStore implements ObjectStore {
  private final ObjectStore store;
  private final FaultInjector injector;

  public FaultyObjectStore(ObjectStore store) {
    this(store, new FaultInjector());
  }

  public FaultyObjectStore(ObjectStore store, FaultInjector injector) {
    this.store = store;
    this.injector = injector;
  }

  public FaultInjector injector() {
    return injector;
  }

  /**
   * As if the process were cut off from its storage: the n-th operation from now fails (1: the
   * next), and all after it; an object being published then fares as said.
   */
  public void failFrom(int operation, Fault publish) {
    FaultPlan cut = FaultPlan.from(operation, publish);
    injector.plan((op, name) -> {
      Fault fault = cut.next(op, name);
      return op == Op.PUT || fault == Fault.NONE ? fault : Fault.BEFORE;
    });
  }

  /** Only the n-th operation from now fails, without effect. */
  public void failOnce(int operation) {
    injector.plan(FaultPlan.once(operation, Fault.BEFORE));
  }

  public void heal() {
    injector.plan(FaultPlan.NONE);
  }

  /** Creating a file of a merge takes that long. */
  public void delayMerges(long millis) {
    injector.latency(
        (op, name) -> op == Op.CREATE && name.endsWith(FileNames.SST_SUFFIX) ? millis : 0);
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    injector.end(injector.begin(Op.CREATE, name), Op.CREATE, name);
    return new Writer(name);
  }

  /** Collects the object, so that any part of it can be published. */
  private final class Writer extends ObjectWriter {
    private final String name;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean done;

    Writer(String name) {
      this.name = name;
    }

    @Override
    public void write(int b) {
      bytes.write(b);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      Fault fault = injector.begin(Op.WRITE, name);
      bytes.write(source, offset, length);
      injector.end(fault, Op.WRITE, name);
    }

    @Override
    public void commit() throws IOException {
      if (done) {
        throw new IOException(name + " is committed or closed already");
      }
      Fault fault = injector.begin(Op.PUT, name);
      byte[] object = FaultInjector.content(fault, bytes.toByteArray());
      store.put(name, object);
      done = true;
      injector.count(Op.PUT, object.length);
      injector.end(fault, Op.PUT, name);
    }

    @Override
    public void close() {
      done = true;
    }
  }

  @Override
  public boolean putNew(String name, byte[] bytes) throws IOException {
    Fault fault = injector.begin(Op.PUT, name);
    boolean created = store.putNew(name, FaultInjector.content(fault, bytes));
    injector.count(Op.PUT, bytes.length);
    injector.end(fault, Op.PUT, name);
    return created;
  }

  @Override
  public long length(String name) throws IOException {
    Fault fault = injector.begin(Op.HEAD, name);
    long length = store.length(name);
    injector.end(fault, Op.HEAD, name);
    return length;
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    Fault fault = injector.begin(Op.GET, name);
    byte[] bytes = store.read(name, offset, length);
    injector.count(Op.GET, length);
    injector.end(fault, Op.GET, name);
    return fault == Fault.FLIP ? FaultInjector.flipped(bytes) : bytes;
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    Fault fault = injector.begin(Op.LIST, prefix);
    List<ObjectInfo> objects = store.list(prefix);
    injector.end(fault, Op.LIST, prefix);
    return objects;
  }

  @Override
  public boolean delete(String name) throws IOException {
    Fault fault = injector.begin(Op.DELETE, name);
    boolean deleted = store.delete(name);
    injector.end(fault, Op.DELETE, name);
    return deleted;
  }

  @Override
  public int sweep(long olderThanMillis) throws IOException {
    Fault fault = injector.begin(Op.LIST, "");
    int deleted = store.sweep(olderThanMillis);
    injector.end(fault, Op.LIST, "");
    return deleted;
  }

  /** Shares counters, plan and latency with this one. */
  @Override
  public ObjectStore child(String folder) {
    return new FaultyObjectStore(store.child(folder), injector);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
