package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.PythonParts;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import py4j.Py4JNetworkException;

/**
 * One run of a stream that Python reads.
 *
 * <p>Calls of Python cannot be interrupted, and one may wait for a server as long as its user said.
 * So they run on a thread of their own, and a query that is stopped leaves that alone.
 */
final class PythonStream implements MicroBatchStream, SupportsTriggerAvailableNow {
  private static final Logger LOG = LoggerFactory.getLogger(PythonStream.class);

  private final String name;
  private final PythonReader reader;
  private final PythonParts parts;
  private final ExecutorService calls;

  PythonStream(String name, PythonReader reader, PythonParts parts) {
    this.name = name;
    this.reader = reader;
    this.parts = parts;
    this.calls = Executors.newSingleThreadExecutor(task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    });
  }

  @Override
  public Offset initialOffset() {
    return new Json(call(reader::initialOffset));
  }

  @Override
  public Offset deserializeOffset(String json) {
    return new Json(json);
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return ReadLimit.allAvailable(); // the reader knows its limits
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    call(() -> {
      reader.prepareForTriggerAvailableNow();
      return null;
    });
  }

  @Override
  public Offset latestOffset() {
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is called instead");
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    return new Json(call(() -> reader.latestOffset(start.json())));
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    String[] pickled = call(() -> reader.partitions(start.json(), end.json())).split("\n");
    InputPartition[] planned = new InputPartition[pickled.length];
    for (int i = 0; i < planned.length; i++) {
      planned[i] = PythonParts.part(i, Base64.getDecoder().decode(pickled[i]));
    }
    return planned;
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return parts.reader();
  }

  @Override
  public void commit(Offset end) {
    call(() -> {
      reader.commit(end.json());
      return null;
    });
  }

  @Override
  public void stop() {
    if (calls.isShutdown()) {
      return;
    }
    calls.shutdown();
    try {
      reader.stop();
    } catch (Py4JNetworkException e) {
      LOG.info("{}: Python is gone, and what it held with it", name);
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private <T> T call(Callable<T> called) {
    try {
      return calls.submit(called).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new InterruptedIOException(name + " was stopped"));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failed ? failed : new IllegalStateException(e);
    }
  }

  private static final class Json extends Offset {
    private final String json;

    Json(String json) {
      this.json = json;
    }

    @Override
    public String json() {
      return json;
    }
  }
}
