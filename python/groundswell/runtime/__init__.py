"""Runs a pipeline: one streaming query over all sources, one barrier per micro-batch.

Layout of a checkpoint location::

    <location>/offsets, commits, sources, metadata     Spark's own
    <location>/groundswell/owners/<token>.json         the claim of each run
    <location>/groundswell/definition-<token>.json     what the views are; written before the start
    <location>/groundswell/graph-<token>.json          what its operators are, for people
    <location>/groundswell/epochs/<epoch>-<token>.json one published epoch each
    <location>/groundswell/epochs/<...>.base.json      what epochs of large locations differ from
    <location>/groundswell/checkpoint-<token>.json     the last checkpoint, if checkpointEvery > 1
    <location>/groundswell/doubtful-<token>.json       entries that an older run may still create
    <location>/groundswell/leases/                     what readers elsewhere keep, and fills
    <location>/groundswell/fills/                      how far views are filled that are not there
    <location>/groundswell/sinks-<token>.json          ids of the sinks, and what each has
    <location>/groundswell/state/<state>/<partition>/  the engine's files
    <location>/groundswell/state/_packs/               commits that a task made together
    <location>/groundswell/generation-<n>/              the same two after a rescale
    <location>/groundswell/tables/<table>/             what people wrote, until a barrier took it

Invariants. *Epoch = batch id*; a state is named after the plan that it holds. An epoch exists when
its manifest does, and that one atomic write makes all views of it visible at once. Epoch N is only
computed on top of epoch N - 1's commits. A batch that Spark repeats and whose epoch exists is not
computed again, only delivered again: a sink sees the same rows under the same epoch id.

Rooms, each of which uses only those before it: :mod:`.record` (what a location holds),
:mod:`.ownership` (who may write there), :mod:`.planning` (one dataflow for all views, and what has
to be filled), :mod:`.reading` (views at an epoch), :mod:`.backfill` (states of views that are new),
:mod:`.gc` (all that is deleted), :mod:`.barriers` (a micro-batch). What stands beside them uses
all.

With ``checkpointEvery`` > 1 epochs between two checkpoints are :mod:`.record.ahead`: in memory, for
readers of this process; :mod:`.record.checkpoints` says how they are made durable, and taken back
by a restart, and :mod:`.record.stale_entries` what an older run may write then. With
``checkpointOverlap`` epochs wait to be durable in memory, see :mod:`.barriers.overlap`.

A run owns the location until another one claims it, see :mod:`.ownership.takeover`. Numbers in
names have 20 digits.

Flow: :mod:`.pipeline` takes what users define, as changes of a :mod:`groundswell.catalog`;
:mod:`.program` has the catalog and plans it, :mod:`.starting` starts it; :mod:`.decision` tells
what a start would do, :mod:`.launch` claims the location and fills new views, :mod:`.run` starts
Spark's query. Spark calls :mod:`.barriers.barrier` once a micro-batch, which runs the dataflow with
the watermarks in force, publishes through :mod:`.record.epochs`, delivers, and lets
:mod:`.gc.retention` clean up. A running query takes changes too (:mod:`.live`,
:mod:`.query`): the new catalog is planned and filled, then started in the place of the old one.
:mod:`.postponed` leaves some views to that which a start could have. :mod:`.recovering` starts a
query again that failed for an older run, for memory, or for a view that may be set aside.
"""
