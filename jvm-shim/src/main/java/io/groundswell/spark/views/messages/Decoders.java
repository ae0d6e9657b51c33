package io.groundswell.spark.views.messages;

import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.spi.Decoder;
import io.groundswell.spark.views.messages.spi.Target;
import io.groundswell.spark.views.messages.spi.Unreadable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The decoders of one format in this process, by the id of the schema that wrote a message. */
final class Decoders {
  private static final int MOST = 64;
  private static final long ASK_AGAIN = TimeUnit.SECONDS.toNanos(30);

  private static final Map<RegistryFormat, Decoders> OPEN = new LinkedHashMap<>(16, 0.75F, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<RegistryFormat, Decoders> eldest) {
      return size() > MOST;
    }
  };

  /** A decoder, or why there is none, which is asked again after a while. */
  private record Known(Decoder decoder, Unreadable why, long until) {}

  private final Schemas schemas;
  private final MessageSpec spec;
  private final Target target;
  private final Map<Integer, Known> known = new ConcurrentHashMap<>();

  private Decoders(RegistryFormat format) {
    this.spec = format.spec();
    this.schemas = format.schemas();
    this.target = RegistryReader.target(spec, format.reader());
  }

  static Decoders of(RegistryFormat format) {
    synchronized (OPEN) {
      return OPEN.computeIfAbsent(format, Decoders::new);
    }
  }

  /**
   * @throws Unreadable if there is no such schema, or it cannot be read as the columns' own
   */
  Decoder get(int id) {
    Known found = known.compute(id,
        (key, old)
            -> old != null && (old.decoder != null || System.nanoTime() < old.until) ? old
                                                                                     : find(id));
    if (found.decoder == null) {
      throw found.why;
    }
    return found.decoder;
  }

  private Known find(int id) {
    try {
      RegisteredSchema writer = schemas.byId(id);
      if (writer == null) {
        throw new Unreadable("its schema id is " + id + ", and "
            + RegistryClient.place(spec.registry()) + " has no such schema");
      }
      return new Known(target.decoder(writer), null, 0);
    } catch (Unreadable e) {
      return new Known(null, e, System.nanoTime() + ASK_AGAIN);
    }
  }
}
