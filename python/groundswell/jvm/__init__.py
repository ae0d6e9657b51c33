"""The only package that touches the JVM: a typed facade over ``io.groundswell.spark.views.entry``.

Queries go in through :mod:`.capture` and :mod:`.placeholders`, become a :mod:`.dataflow`, and get
their micro-batches through :mod:`.barriers`; :mod:`.states` reads what they keep. :mod:`.files`
reads and writes folders, :mod:`.owners` claims them, and :mod:`.pending_logs` has Spark's
logs written beside its micro-batches. :mod:`.functions`, :mod:`.groups` and
:mod:`.table_functions` wrap functions that workers run, :mod:`.pipeline_functions` makes those of
statements known (:mod:`.list_arguments` runs in workers), :mod:`.recursions` unrolls recursive
queries, :mod:`.sql` takes statements, :mod:`.callbacks` lets the JVM call Python, :mod:`.connect`
refuses sessions that have no JVM here, :mod:`.constants` checks defaults, :mod:`.messages` reads
messages by the schemas of a registry, :mod:`.errors` turns what
the JVM throws into ours.

Everything crosses as JSON, as DataFrames or as bytes; expressions never leave the JVM. Errors of
the engine come out as :class:`~groundswell.errors.EngineError`, chosen by their stable code.
"""

from __future__ import annotations

from groundswell.jvm.backlogs import file_bytes, heap_bytes, kafka_options, limited_kinds
from groundswell.jvm.barriers import (
    CLOCK,
    SINK,
    TABLE_SOURCE,
    BarrierCallback,
    BarrierFunction,
    ask_for_barrier,
    clock_source,
    register_pipeline,
    tables_within,
    unregister_pipeline,
)
from groundswell.jvm.capture import Capture
from groundswell.jvm.connect import classic_only
from groundswell.jvm.constants import constant
from groundswell.jvm.dataflow import Dataflow, discard_merges, merge
from groundswell.jvm.errors import (
    check_session,
    first_line,
    has_session,
    is_gone,
    pipeline_failure,
    refusal,
    summary,
    translate,
)
from groundswell.jvm.files import (
    FileTree,
    JvmFolder,
    JvmTree,
    StagedPart,
    exact,
    folders,
    literal,
    location_of,
    make_folder,
    qualify,
    storage_errors,
)
from groundswell.jvm.messages import columns_of, decoded_messages
from groundswell.jvm.owners import Ownership, here
from groundswell.jvm.pending_logs import PendingLogs
from groundswell.jvm.pipeline_functions import (
    has_temporary,
    has_temporary_view,
    is_builtin,
    register_python,
    register_sql,
)
from groundswell.jvm.placeholders import (
    is_limited,
    may_have_watermark,
    placeholder,
    placeholder_as,
    reads_placeholder,
    source_key,
    source_union,
    stream_names,
    view_placeholder,
)
from groundswell.jvm.process import (
    fail_points,
    is_classic,
    jvm_id,
    release_unused,
    session_id,
)
from groundswell.jvm.states import (
    constants,
    frequent_keys,
    generations,
    index_sample,
    migrate,
    state_lookup,
    states_deleted,
    view_changes,
    view_rows,
)
from groundswell.jvm.streams import python_stream

__all__ = [
    "CLOCK",
    "SINK",
    "TABLE_SOURCE",
    "BarrierCallback",
    "BarrierFunction",
    "Capture",
    "Dataflow",
    "FileTree",
    "JvmFolder",
    "JvmTree",
    "Ownership",
    "PendingLogs",
    "StagedPart",
    "ask_for_barrier",
    "check_session",
    "classic_only",
    "clock_source",
    "columns_of",
    "constant",
    "constants",
    "decoded_messages",
    "discard_merges",
    "exact",
    "fail_points",
    "file_bytes",
    "first_line",
    "folders",
    "frequent_keys",
    "generations",
    "has_session",
    "has_temporary",
    "has_temporary_view",
    "heap_bytes",
    "here",
    "index_sample",
    "is_builtin",
    "is_classic",
    "is_gone",
    "is_limited",
    "jvm_id",
    "kafka_options",
    "limited_kinds",
    "literal",
    "location_of",
    "make_folder",
    "may_have_watermark",
    "merge",
    "migrate",
    "pipeline_failure",
    "placeholder",
    "placeholder_as",
    "python_stream",
    "qualify",
    "reads_placeholder",
    "refusal",
    "register_pipeline",
    "register_python",
    "register_sql",
    "release_unused",
    "session_id",
    "source_key",
    "source_union",
    "state_lookup",
    "states_deleted",
    "storage_errors",
    "stream_names",
    "summary",
    "tables_within",
    "translate",
    "unregister_pipeline",
    "view_changes",
    "view_placeholder",
    "view_rows",
]
