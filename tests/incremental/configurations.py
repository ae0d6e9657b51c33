"""Ways to run a pipeline that its views must not show: sizes, exchanges, checkpoints, plans."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import note
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import LOCAL_EXCHANGE, Step, put
from incremental.harness import Bags, Tables, bags, confs_of

PACKS = "spark.groundswell.packs"

SETTINGS = {
    "spark.sql.adaptive.enabled": ["false"],
    "spark.sql.autoBroadcastJoinThreshold": ["-1"],
    "spark.sql.cbo.enabled": ["true"],
    "spark.sql.codegen.factoryMode": ["NO_CODEGEN"],
    "spark.sql.codegen.wholeStage": ["false"],
    "spark.sql.constraintPropagation.enabled": ["false"],
    "spark.sql.execution.useObjectHashAggregateExec": ["false"],
    "spark.sql.optimizeNullAwareAntiJoin": ["false"],
    "spark.sql.optimizer.decorrelateInnerQuery.enabled": ["false"],
    "spark.sql.optimizer.maxIterations": ["1", "2"],
    "spark.sql.optimizer.wrapExistsInAggregateFunction": ["false"],
    "spark.sql.shuffle.partitions": ["1", "3", "7"],
    "spark.sql.subexpressionElimination.enabled": ["false"],
}
"""Values of Spark's settings that change plans, and must change no result."""

RULES = (
    "BooleanSimplification CollapseProject ColumnPruning CombineFilters CombineUnions "
    "ConstantFolding ConstantPropagation ConvertToLocalRelation EliminateDistinct "
    "EliminateOuterJoin EliminateSorts FoldablePropagation InferFiltersFromConstraints "
    "LikeSimplification LimitPushDown NullPropagation OptimizeIn PropagateEmptyRelation "
    "PushDownLeftSemiAntiJoin PushDownPredicates PushProjectionThroughUnion "
    "RemoveDispensableExpressions RemoveRedundantAliases RemoveRedundantAggregates "
    "ReorderAssociativeOperator ReorderJoin ReplaceNullWithFalseInPredicate "
    "RewriteCorrelatedScalarSubquery SimplifyBinaryComparison SimplifyCasts SimplifyConditionals "
    "TransposeWindow UnwrapCastInBinaryComparison"
).split()
"""Rules of Spark's optimiser that a session may leave out."""


def settings(rng: random.Random) -> dict[str, str]:
    """Some settings of Spark with other values than by default; often none."""
    if rng.random() < 0.4:
        return {}
    found = {key: rng.choice(values) for key, values in SETTINGS.items() if rng.random() < 0.2}
    if rng.random() < 0.5:
        left_out = rng.sample(RULES, rng.randint(1, 8))
        names = (f"org.apache.spark.sql.catalyst.optimizer.{rule}" for rule in sorted(left_out))
        found["spark.sql.optimizer.excludedRules"] = ",".join(names)
    return found


@dataclass(frozen=True)
class Sizes:
    """Of stores; the defaults are those of views.

    Attributes:
        cache_bytes: that blocks, indexes and filters may take.
        memory_bytes: that a barrier may collect; what is more goes to files.
        block_bytes: of a data block.
        sub_levels: that start a compaction.
        file_bytes: at which a compaction starts its next file.
        filter_bits: a key.
    """

    cache_bytes: int = 64 << 20
    memory_bytes: int = 256 << 20
    block_bytes: int = 4096
    sub_levels: int = 8
    file_bytes: int = 64 << 20
    filter_bits: int = 10

    @classmethod
    def drawn(cls, rng: random.Random) -> "Sizes":
        """The usual ones, or odd ones."""
        if rng.random() < 0.3:
            return cls()
        return cls(
            rng.choice([0, 2000, 64 << 20]),
            rng.choice([1, 3000, 256 << 20]),
            rng.choice([64, 200, 4096]),
            rng.choice([2, 3, 8]),
            rng.choice([1024, 64 << 20]),
            rng.choice([0, 1, 10]),
        )


@dataclass(frozen=True)
class Configuration:
    """How one run of a pipeline goes.

    Attributes:
        options: of the pipeline.
        confs: of the session.
        sizes: of its stores.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    confs: Mapping[str, str] = field(default_factory=dict)
    sizes: Sizes = Sizes()

    @classmethod
    def drawn(cls, rng: random.Random, spark: Mapping[str, str] | None = None) -> "Configuration":
        """Any.

        Args:
            rng: that draws.
            spark: settings of Spark, for plans that are to stay as they were; default: any.
        """
        every, compaction = rng.choice([1, 1, 2, 3]), rng.choice(["own", "own", "elsewhere"])
        overlaps = every == 1 and compaction == "own"
        return cls(
            {
                "checkpointEvery": every,
                "checkpointOverlap": rng.choice([0, 1, 3]) if overlaps else 0,
                "compaction": compaction,
                "hotKeyRows": rng.choice([1, 2, 10_000]),
                "indexes": rng.choice(["asked", "auto"]),
                "joinOrder": rng.choice(["written", "cost"]),
                "joins": rng.choice(["auto", "hash"]),
                "partitions": rng.choice([1, 2, 3]),
                "retainEpochs": rng.choice([2, 100]),
                "retireEvery": rng.choice([1, 2, 10]),
            },
            {
                LOCAL_EXCHANGE: rng.choice(["true", "false"]),
                PACKS: rng.choice(["task", "process"]),
                **(settings(rng) if spark is None else spark),
            },
            Sizes.drawn(rng),
        )

    @contextmanager
    def of(self, session: SparkSession) -> Iterator[Mapping[str, Any]]:
        """Its confs and sizes within; gives the pipeline's options."""
        jvm: Any = session._jvm
        views = jvm.io.groundswell.spark.views.dataflow.state.StoreRegistry
        services = jvm.io.groundswell.engine.EngineServices
        usual = jvm.io.groundswell.engine.StoreOptions.defaults()
        sizes = self.sizes
        if sizes != Sizes():
            services.configureShared(sizes.cache_bytes, 1, sizes.memory_bytes)
            views.configure(
                jvm.io.groundswell.engine.StoreOptions(
                    sizes.block_bytes,
                    sizes.sub_levels,
                    sizes.filter_bits,
                    sizes.file_bytes,
                    usual.compression(),
                )
            )
        try:
            with confs_of(session, self.confs):
                yield self.options
        finally:
            if sizes != Sizes():
                views.configure(None)
                services.closeShared()


def followed(
    session: SparkSession,
    folder: Path,
    configuration: Configuration,
    tables: Tables,
    queries: Mapping[str, str],
    steps: Sequence[Step],
) -> Iterator[tuple[int, Bags]]:
    """Feeds steps to a pipeline of a configuration; gives what its views hold after each."""
    note("\n".join([f"{name}: {text}" for name, text in queries.items()]))
    note(f"{configuration}\n{steps}")
    tables.as_sources()
    with configuration.of(session) as options:
        location = str(folder / "checkpoint")
        pipeline = gs.pipeline(session, location, **options)
        for name, text in queries.items():
            pipeline.view(name, session.sql(text)).createTempViews()
        query = pipeline.start()
        try:
            for number, step in enumerate(steps):
                put(tables, step, query)
                query.processAllAvailable()
                if query.lastProgress is not None:
                    yield number, bags(gs.read_views(session, location, queries))
        finally:
            query.stop()
