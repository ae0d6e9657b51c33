package io.groundswell.checkpoint;

/**
 * What an {@link Uploader} has done, and what waits.
 *
 * @param sealedBytes in memory only, waiting for their upload
 * @param keptBytes in memory though durable
 * @param uploads packs made durable
 * @param uploadedBytes of these
 * @param failures of uploads
 * @param stallMillis that sealing has waited for room
 * @param lagMillis from the first commit in the pack last uploaded until it was durable
 */
public record UploadMetrics(long sealedBytes, long keptBytes, long uploads, long uploadedBytes,
    long failures, long stallMillis, long lagMillis) {}
