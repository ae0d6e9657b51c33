package io.groundswell.spark.views.operator.lookup;

import io.groundswell.spark.views.operator.join.MatchRows;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A lookup that tells rows of the stream with a match from those without: outer, semi, anti and
 * existence joins, index key by index key. Nobody keeps how many matches a row has: only none or
 * some matters, and the index says which.
 *
 * <p>Of a change of the stream: it beside each of its matches, and what it stands for by itself.
 *
 * <p>Of a change of the index ({@code flip}): the stream's row beside each changed row that it
 * matches or matched. What it stands for by itself turns if the changes took or brought a match and
 * none of the rows that the barrier leaves alone is one; those are read only until every row of the
 * stream has found one.
 */
final class LookupMatches extends ChangeIterator {
  private enum Step { KEY, ROWS, CHANGES, UNITS }

  /** The index row at hand; not there if null. */
  static final class Side {
    private final LookupRows.Wanted stored;
    private final LookupRows.Wanted changed;
    private final MatchRows.Pairs pairs;
    private UnsafeRow row;
    private UnsafeRow rest;

    /**
     * @param stored of rows as the index has them
     * @param changed of rows as its changes have them
     */
    Side(LookupRows.Wanted stored, LookupRows.Wanted changed, MatchRows.Pairs pairs) {
      this.stored = stored;
      this.changed = changed;
      this.pairs = pairs;
    }

    private void set(InternalRow indexRow, LookupRows.Wanted wanted) {
      row = indexRow == null ? null : wanted.row().apply(indexRow);
      rest = indexRow == null ? null : wanted.equalOf(indexRow);
    }

    private boolean matches(LookupRows.Probe probe) {
      return row != null && !probe.matchless() && (rest == null || rest.equals(probe.equal()))
          && pairs.join(true, probe.row(), row);
    }
  }

  private final MatchRows rows;
  private final boolean flip;
  private final LookupRows looked;
  private final Side old;
  private final Side now;

  private Step step = Step.KEY;
  private List<LookupRows.Probe> probes = List.of();
  private Iterator<ChangeBuffer.Change> changes = Collections.emptyIterator();
  private boolean[] stays = new boolean[8]; // an unchanged row of the index matches the probe
  private boolean[] was = new boolean[8];
  private boolean[] is = new boolean[8];
  private int open; // probes that none of the rows so far matches
  private int at; // in the probes

  /**
   * @param old for rows as they were
   * @param now for rows as they are
   */
  LookupMatches(Projections code, MatchRows rows, boolean flip, LookupRows looked, Side old,
      Side now, OperatorCounters counters) {
    super(code, rows.types(), counters);
    this.rows = rows;
    this.flip = flip;
    this.looked = looked;
    this.old = old;
    this.now = now;
  }

  @Override
  protected boolean advance() {
    switch (step) {
      case KEY -> {
        return nextKey();
      }
      case ROWS -> row();
      case CHANGES -> change();
      case UNITS -> unit();
    }
    return true;
  }

  private boolean nextKey() {
    if (!looked.nextKey()) {
      return false;
    }
    probes = looked.probes();
    changes = looked.changes();
    open = probes.size();
    if (stays.length < open) {
      stays = new boolean[open];
      was = new boolean[open];
      is = new boolean[open];
    } else {
      for (boolean[] each : List.of(stays, was, is)) {
        Arrays.fill(each, 0, open, false);
      }
    }
    at = open;
    step = flip && !changes.hasNext() ? Step.KEY : Step.ROWS;
    if (step == Step.KEY) {
      looked.skipUnchanged();
    }
    return true;
  }

  /** The next probe of the unchanged row at hand, or the next row. */
  private void row() {
    if (at < probes.size()) {
      LookupRows.Probe probe = probes.get(at);
      if ((!stays[at] || pairs()) && now.matches(probe)) {
        open -= stays[at] ? 0 : 1;
        stays[at] = true;
        give(probe, null, pairs() ? now.pairs.pair() : null);
      }
      at++;
      return;
    }
    if (open == 0 && !pairs()) {
      looked.skipUnchanged();
      now.set(null, now.stored);
    } else {
      now.set(looked.nextUnchanged(), now.stored);
    }
    at = now.row == null ? probes.size() : 0;
    step = now.row == null ? Step.CHANGES : Step.ROWS;
  }

  /** Whether an unchanged row is wanted beside every row it matches, not only the first. */
  private boolean pairs() {
    return !flip && rows.givesPairs();
  }

  /** The next probe of the change at hand, or the next change. */
  private void change() {
    if (at < probes.size()) {
      LookupRows.Probe probe = probes.get(at);
      boolean oldMatch = flip && old.matches(probe);
      boolean newMatch = now.matches(probe);
      was[at] |= oldMatch;
      is[at++] |= newMatch;
      if (rows.givesPairs()) {
        give(probe, oldMatch ? old.pairs.pair() : null, newMatch ? now.pairs.pair() : null);
      }
      return;
    }
    if (!changes.hasNext()) {
      at = 0;
      step = Step.UNITS;
      return;
    }
    ChangeBuffer.Change change = changes.next();
    old.set(flip ? change.before() : null, old.changed);
    now.set(change.after(), now.changed);
    at = 0;
  }

  /** What the next probe stands for by itself. */
  private void unit() {
    if (at == probes.size()) {
      step = Step.KEY;
      return;
    }
    LookupRows.Probe probe = probes.get(at);
    boolean matched = stays[at] || is[at];
    boolean before = stays[at] || was[at];
    at++;
    if (!flip) {
      give(probe, null, rows.unitAfter(true, probe.row(), matched));
    } else if (before != matched) {
      give(probe, rows.unitBefore(true, probe.row(), before),
          rows.unitAfter(true, probe.row(), matched));
    }
  }

  /** What a row of the stream gave and gives; of one that is taken back, the other way round. */
  private void give(LookupRows.Probe probe, UnsafeRow gave, UnsafeRow gives) {
    before = probe.weight() < 0 ? gives : gave;
    after = probe.weight() < 0 ? gave : gives;
  }
}
