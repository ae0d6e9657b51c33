package io.groundswell.storage;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Branches that are seldom taken. Each mark stands at one place, and a test says that it {@code
 * Reaches} it: if it no longer does, it fails. A hit costs an increment, so no mark stands where
 * every row passes.
 */
public enum Mark {
  /** A batch has spilled so often that its runs are merged before it goes on. */
  SPILL_MERGED_EARLY,
  /** A row is asked for that the watermark of its table has ended. */
  GET_BELOW_WATERMARK,
  /** A row is put that the watermark of its table has ended: nothing is written. */
  PUT_BELOW_WATERMARK,
  /** A row is deleted that the watermark of its table has ended: nothing is written. */
  DELETE_BELOW_WATERMARK,
  /** A commit finds no spilled run: the merge just before it left no row. */
  SPILL_GONE_BEFORE_COMMIT,
  /** Spilled runs become one without a merge: none overlaps another. */
  SPILL_SIDE_BY_SIDE,
  /** A merge of spilled runs leaves no row. */
  SPILL_LEFT_NOTHING,
  /** A spilled file cannot be deleted: retirement does it. */
  SPILL_FILE_STAYS,
  /** A commit leaves out a file of which no row can be seen. */
  COMMIT_DROPS_DEAD_FILE,
  /** A merge that a commit was to carry has a file of which no row can be seen. */
  CARRIED_FILE_IS_DEAD,
  /** Retirement is asked to delete more than there is: the newest version stays. */
  NEWEST_VERSION_STAYS,
  /** Retirement cannot read what the oldest version that stays needs: it deletes nothing. */
  OLDEST_COMMIT_UNREAD,
  /** A commit writes the files of a merge that waited in memory for it. */
  COMMIT_CARRIES_MERGE,
  /** A commit of a run with packs is an object of its own: large, or spilled. */
  COMMIT_APART_FROM_PACK,
  /** A commit waits for a merge: too many sub-levels. */
  COMMIT_WAITS_FOR_MERGE,
  /** Another process retires a commit that this one has just listed. */
  COMMIT_GONE_SINCE_LISTING,
  /** Retirement spares a merge's file, which a commit may still take in. */
  MERGED_FILE_SPARED,
  /** A version is retired while a batch begins on it. */
  BATCH_ON_RETIRED_VERSION,
  /** Of two commits of a version, in the folder and in a pack, the pack's is newer. */
  PACKED_COMMIT_IS_NEWER,
  /** A commit is named that has no object of its own, but is in a pack. */
  NAMED_COMMIT_IS_PACKED,
  /** Stores that are to become one call a table by different numbers. */
  TABLES_NUMBERED_DIFFERENTLY,
  /** One of the stores that are to become one has dropped a table that others have. */
  DROPPED_TABLE_HAS_ROWS,
  /** The files of several stores become the sub-levels of one. */
  TREES_STACKED,
  /** The files of a merge are gone: another process took them for leftovers. */
  MERGE_RESULT_GONE,
  /** The files of a merge cannot be looked at: it waits for a later commit. */
  MERGE_RESULT_UNREACHABLE,
  /** No commit can take in a merge any more. */
  MERGE_RESULT_TOO_LATE,
  /** A merge fails, and the next commit tries again. */
  MERGE_FAILED,
  /** A merge for another process fails: its files go. */
  MERGE_ELSEWHERE_FAILED,
  /** A merge leaves no row, and makes no file. */
  MERGE_LEFT_NOTHING,
  /** Nothing lies below a merge: its deletes go. */
  MERGE_AT_THE_BOTTOM,
  /** A merge stops in the middle. */
  MERGE_CANCELLED,
  /** A file changes its level by a commit, without a merge. */
  FILE_MOVED_BY_COMMIT,
  /** Rows are rewritten so that a mostly dead object can go. */
  SPARSE_OBJECT_LEFT,
  /** A sub-level is rewritten for its many deletes. */
  TOMBSTONES_RECLAIMED,
  /** Two spilled runs of one batch have the same row. */
  KEY_REPEATED_IN_A_BATCH,
  /** The random part of a new pack is that of an open one. */
  PACK_ID_TAKEN,
  /** A pack's index takes a second read. */
  PACK_INDEX_IS_LONG,
  /** A pack is there already: an attempt that failed has written it. */
  PACK_IS_THERE,
  /** A pack has grown large, and the task that made it so publishes it. */
  PACK_IS_FULL,
  /** A pack is forgotten: its tasks failed, or ran twice. */
  PACK_NOBODY_NAMED,
  /** A pack is kept for little. */
  PACK_IS_SPARSE,
  /** A commit is lost with its executor, and another one of the store is as good. */
  COMMIT_LOST_AND_SAVED,
  /** An executor did not answer, and its pack is in storage nevertheless. */
  PACK_THERE_AFTER_ALL,
  /** An upload that failed begins again. */
  UPLOAD_TRIED_AGAIN,
  /** A commit waits until what was sealed before it is uploaded. */
  SEAL_WAITS_FOR_UPLOADS,
  /** Commits of an older run wait for an upload that nobody will ask for. */
  STALE_COMMITS_FORGOTTEN,
  /** An upload ends that was forgotten meanwhile. */
  UPLOAD_OF_FORGOTTEN,
  /** Two runs claim a checkpoint at once. */
  CLAIM_IS_TAKEN,
  /** A claim was created below one that is there. */
  CLAIM_IS_OVERTAKEN,
  /** A run finds the claim of a later one. */
  OWNER_WAS_FOLLOWED,
  /** A run does not find its own claim: the folder was moved or deleted. */
  CLAIM_WAS_REMOVED,
  /** A storage creates an object that is there. */
  CLAIM_WITHOUT_CONDITION,
  /** A claim is so old that it goes. */
  OLD_CLAIM_REMOVED,
  /** A round of deletes never begins: a later one does its work. */
  ROUND_REPLACED,
  /** Deletes are so far behind that a barrier waits. */
  BARRIER_WAITS_FOR_ROUND,
  /** A round of deletes finds that a later run has the location. */
  ROUND_OF_A_FOLLOWED_RUN,
  /** A key gets a second row before it loses one: changes come in any order. */
  SECOND_ROW_INSERTED,
  /** A key loses a second row before it gets one: changes come in any order. */
  SECOND_ROW_DELETED,
  /** One of two rows of a key cancels out, and the other one takes its place. */
  SECOND_ROW_STAYS,
  /** A join key has a null: its rows match none, and are not kept. */
  KEY_WITHOUT_MATCHES,
  /** A row that the barrier leaves alone has more or fewer matches than before. */
  MATCHES_COUNTED_ANEW,
  /** A row that the barrier leaves alone gains its first match, or loses its last. */
  FIRST_OR_LAST_MATCH,
  /** A row of an interval join changes its time so far that its key is another one. */
  ROW_MOVES_IN_TIME,
  /** All changes are behind the first rows of an order: these are not read again. */
  TOP_IS_UNMOVED,
  /** One of the first rows of an order goes, and another one moves up. */
  TOP_ROW_LEAVES,
  /** New rows of a partition are all behind its first ones. */
  FIRST_ROWS_STAY,
  /** A watermark passes a first row that no one reads, and another has taken its place since. */
  UNREAD_ROW_WAS_REPLACED,
  /** A watermark passes a group that no one read, and rows have come to it since. */
  UNREAD_GROUP_CAME_BACK,
  /** The smallest or greatest value of a group goes: the next one is looked up. */
  EXTREME_SOUGHT_ANEW,
  /** A value is taken away before it comes, in a barrier that memory cannot hold. */
  VALUE_LEAVES_EARLY,
  /** The values of groups that a pass keeps outgrow its memory. */
  VALUES_GROW_IN_A_PASS,
  /** A group comes and goes within a barrier. */
  GROUP_COMES_AND_GOES,
  /** Changed rows of a partition are so far apart that they are read in several slices. */
  SLICE_ENDS_EARLY,
  /** Two changed rows are so near to each other that one slice has both. */
  SLICE_TAKES_THE_NEXT,
  /** A row moves from one slice of its partition to another. */
  ROW_CHANGES_ITS_SLICE,
  /** Only rows of a partition change that the query does not look at. */
  CHANGE_OUT_OF_SIGHT,
  /** The watermark has passed a session: its rows go. */
  SESSION_CLOSES,
  /** A barrier does not fit into memory. */
  BARRIER_IN_PASSES,
  /** A part of a barrier does not fit into memory, either. */
  PASS_CUT_AGAIN,
  /** A part of a part of a part does not fit: no cut helps any more. */
  PASS_OF_FEW_KEYS,
  /** A key of a recursion has to be settled by a later run. */
  KEY_WAITS_FOR_ITS_LEVEL,
  /** A row of a recursion has no derivation left. */
  ROW_IS_DERIVED_NO_MORE,
  /** A row is too old and changes in the same barrier. */
  EXPIRED_AND_CHANGED,
  /** A row that expired is changed while the piece of time that it came in is still there. */
  ENTRY_OUTLIVES_ITS_ROW,
  /** A barrier takes back as many passed rows as it may: others wait. */
  PASSED_ROWS_ARE_MANY,
  /** A row that waits for the watermark changes its time, or goes. */
  PENDING_ROW_MOVES,
  /** An upsert would change a row that the watermark has passed. */
  UPSERT_COMES_TOO_LATE,
  /** A row whose life is over is written in the same barrier. */
  DEAD_KEY_COMES_BACK,
  /** A row changes in columns that the user does not see. */
  UPDATE_OF_HIDDEN_COLUMNS,
  /** A view goes on as an older release began it: row by row. */
  VIEW_BEGUN_ROW_BY_ROW,
  /** The last row of a group leaves a view. */
  GROUP_OF_A_VIEW_GOES,
  /** Every task of a lookup takes a slice of a frequent key. */
  HOT_KEYS_SLICED,
  /** Lines of a file of JSON are read by our decoder. */
  FILE_OF_JSON_DECODED,
  /** A line of JSON is not as our decoder wants it. */
  LINE_LEFT_TO_SPARK,
  /** Lines of a file of CSV are read by our decoder. */
  FILE_OF_CSV_DECODED,
  /** A line of CSV is not as our decoder wants it. */
  LINE_OF_CSV_LEFT_TO_SPARK,
  /** A reader of texts asks the filters of views while it reads. */
  FILTERS_ASKED_BY_READER;

  private static final AtomicLongArray HITS = new AtomicLongArray(values().length);

  /** The branch is taken. */
  public void hit() {
    HITS.incrementAndGet(ordinal());
  }

  /** The branch is taken, if this holds. */
  public void hitIf(boolean taken) {
    if (taken) {
      hit();
    }
  }

  /** How often the branch was taken in this process. */
  public long hits() {
    return HITS.get(ordinal());
  }
}
