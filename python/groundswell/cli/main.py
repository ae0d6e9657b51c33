"""Parses the command line and runs one command."""

import argparse
import math
import sys
from collections.abc import Callable, Sequence

from groundswell import jar
from groundswell.cli import (
    compact,
    copy,
    doctor,
    inspect,
    move,
    pipelines,
    refresh,
    serve,
    sql,
    test,
    train,
    ui,
)
from groundswell.cli.session import NotStartedError
from groundswell.version import VERSION

DBT = jar.PATH.parents[1] / "dbt"
"""The package of dbt's macros."""


def conf_pair(text: str) -> tuple[str, str]:
    """``key=value`` -> the pair.

    Raises:
        argparse.ArgumentTypeError: there is no ``=`` or no key before it.
    """
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form key=value")
    return key.strip(), value.strip()


def positive(text: str) -> float:
    """A number of seconds above 0.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def number(least: int, most: int) -> Callable[[str], int]:
    """What reads a whole number between two others; argparse shows why it does not.

    Args:
        least: the smallest that is taken.
        most: the greatest.
    """

    def read(text: str) -> int:
        if not text.strip().isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {least} to {most}"
            )
        return int(text)

    return read


PORTS = number(0, 65_535)
COUNTS = number(1, 1_000_000)


def parser() -> argparse.ArgumentParser:
    """The whole grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="groundswell", description="Incremental views and a state store for Apache Spark."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("jar", help="print the jar's path, for spark-submit --jars")
    commands.add_parser("dbt", help="print the folder of dbt's macros, for packages.yml")
    commands.add_parser("version", help="print the package's version")
    kept = commands.add_parser(
        "train",
        help="run small views, and keep what the JVM learned in a file: programs start faster",
    )
    kept.add_argument(
        "--export",
        action="store_true",
        help="print variables for a shell in which spark-submit is to start from the file",
    )
    commands.add_parser("java", help="print the JAVA_HOME that Spark is started with")
    check = commands.add_parser(
        "doctor", help="print versions and settings, and what is wrong with them"
    )
    check.add_argument(
        "checkpoints",
        nargs="*",
        metavar="checkpoint",
        help="checkpointLocation of a pipeline: tells the views that are set aside",
    )
    check.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        type=conf_pair,
        action="append",
        default=[],
        help="a Spark conf to check, as given to spark-submit; may be repeated",
    )
    look = commands.add_parser(
        "inspect", help="print what a checkpoint's state consists of, from its files"
    )
    look.add_argument("checkpoint", help="a query's or pipeline's checkpointLocation, or a store")
    look.add_argument(
        "--store",
        metavar="PATH",
        help="one store in detail: <operator>/<partition>[/<store>], or <state>/<partition>",
    )
    look.add_argument(
        "--files",
        action="store_true",
        help="what each kind of file takes, who removes it, and when; of a pipeline",
    )
    page = commands.add_parser("ui", help="serve a page that shows a pipeline, without Spark")
    page.add_argument("checkpoint", help="the pipeline's checkpointLocation")
    page.add_argument("--host", default="127.0.0.1", help="address to bind to; default: 127.0.0.1")
    page.add_argument(
        "--port", type=PORTS, default=ui.PORT, help=f"default: {ui.PORT}; 0: a free one"
    )
    page.add_argument(
        "--token",
        help="what readers must have; default: a new one if --host is not a loopback address, or "
        "this machine has several users",
    )
    page.add_argument(
        "--no-token",
        dest="token",
        action="store_const",
        const="",
        help="let every user of this machine read; on a loopback address only",
    )
    served = commands.add_parser(
        "serve", help="serve a pipeline's views to PostgreSQL's clients, read-only, without Spark"
    )
    served.add_argument("location", help="the pipeline's checkpointLocation")
    served.add_argument(
        "--host", default="127.0.0.1", help="address to bind to; default: 127.0.0.1"
    )
    served.add_argument(
        "--port", type=PORTS, default=serve.PORT, help=f"default: {serve.PORT}; 0: a free one"
    )
    served.add_argument(
        "--password-file",
        metavar="PATH",
        help="a file whose first line is the password; needed for another host than 127.0.0.1",
    )
    served.add_argument(
        "--connections",
        type=COUNTS,
        default=serve.CONNECTIONS,
        help=f"most clients at a time; default: {serve.CONNECTIONS}",
    )
    served.add_argument(
        "--statement-timeout",
        metavar="SECONDS",
        type=positive,
        help="most time that a statement may take; default: no limit",
    )
    served.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="most memory that queries use together, as 2GB; default: 80 %% of the machine's",
    )
    served.add_argument("--threads", type=COUNTS, help="of queries together; default: all cores")
    served.add_argument(
        "--http-port",
        type=PORTS,
        help="serve changes as server-sent events there, at /subscribe/VIEW; default: not at all",
    )
    served.add_argument(
        "--cache",
        metavar="FOLDER",
        help="keep decoded rows there for the next start; default: not at all",
    )
    job = commands.add_parser("run", help="run a file of SQL statements as a job")
    job.add_argument("file", help="the statements; docs/sql.md has them all")
    job.add_argument(
        "--checkpoint",
        metavar="PATH",
        help="where the pipeline is kept, if not where the file says",
    )
    job.add_argument(
        "--trigger", metavar="TIME", help="the barrier interval, as '1 second'; default: at once"
    )
    job.add_argument("--once", action="store_true", help="read what is there, and end")
    job.add_argument(
        "--takeover",
        action="store_true",
        help="end the run that has the pipeline, should it live in another process",
    )
    job.add_argument(
        "--standby",
        metavar="LEASE",
        nargs="?",
        const="15 seconds",
        help="wait while another run has the pipeline, and take it over when that one gives no "
        "sign of life for so long; default: '15 seconds'",
    )
    again = commands.add_parser(
        "refresh", help="catch up the views of files of SQL statements, and say what was done"
    )
    again.add_argument(
        "files", nargs="+", metavar="file", help="the statements; only its definitions count"
    )
    again.add_argument("--checkpoint", metavar="PATH", help="where the one file's pipeline is kept")
    again.add_argument(
        "--every",
        metavar="TIME",
        help="do it again so long after the last time, as '5 minutes', until it is stopped",
    )
    tests = commands.add_parser("test", help="run tests of views: rows in, rows out")
    tests.add_argument(
        "paths",
        nargs="+",
        metavar="FILE",
        help="a file *.yml, a folder of such, or the folder of a dbt project",
    )
    tests.add_argument(
        "--filter", metavar="TEXT", help="run only the tests that have TEXT in their name or path"
    )
    typed = commands.add_parser("sql", help="a shell for SQL statements")
    project = commands.add_parser(
        "pipelines", help="run projects of Spark Declarative Pipelines, incrementally"
    )
    steps = project.add_subparsers(dest="step", required=True, metavar="command")
    update = steps.add_parser("run", help="bring a project's datasets up to date once")
    look_only = steps.add_parser("dry-run", help="look at a project's definitions; run nothing")
    for command in (update, look_only):
        command.add_argument("--spec", help="path of spark-pipeline.yml; default: the next above")
    update.add_argument("--full-refresh-all", action="store_true", help="recompute everything")
    for option in ("--refresh", "--full-refresh"):
        update.add_argument(
            option,
            type=pipelines.names,
            action="extend",
            default=[],
            metavar="DATASETS",
            help="not supported: all datasets are brought up to date together",
        )
    take_over = commands.add_parser(
        "import-checkpoint", help="make a checkpoint of ours out of another state store's"
    )
    scale = commands.add_parser(
        "rescale", help="give a stopped query, or a pipeline, another number of state partitions"
    )
    scale.add_argument("--partitions", type=int, required=True, help="the new number")
    for command in (take_over, scale):
        command.add_argument(
            "checkpoint", help="checkpointLocation of the stopped query; only read"
        )
    take_over.add_argument("new", help="where to write the new one; must be empty")
    scale.add_argument(
        "new",
        nargs="?",
        help="where to write the new one; must be empty; none for a pipeline that SQL defines: it "
        "is rescaled where it is, whether it runs or not",
    )
    copies = (
        commands.add_parser(
            "backup", help="copy a pipeline at an epoch while it runs, to take its place"
        ),
        commands.add_parser(
            "clone", help="copy a pipeline at an epoch while it runs, to run beside it"
        ),
    )
    for command in copies:
        command.add_argument("checkpoint", help="the pipeline's checkpointLocation; only read")
        command.add_argument("target", help="where to copy to; must be empty")
        command.add_argument("--epoch", type=int, help="default: the newest")
    merging = commands.add_parser(
        "compact", help="merge files of a pipeline's states for the process that runs it"
    )
    merging.add_argument(
        "checkpoint", help="checkpointLocation of a pipeline with compaction='elsewhere'"
    )
    merging.add_argument("--once", action="store_true", help="look once, and end")
    merging.add_argument(
        "--every",
        type=positive,
        default=compact.SECONDS,
        metavar="SECONDS",
        help=f"from one look to the next; default: {compact.SECONDS:g}",
    )
    for command in (job, again, tests, typed, update, look_only, take_over, scale, merging):
        command.add_argument("--master", help="Spark's master; default: all cores of this machine")
        command.add_argument(
            "--conf",
            metavar="KEY=VALUE",
            type=conf_pair,
            action="append",
            default=[],
            help="a Spark conf; may be repeated",
        )
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: the arguments; None takes the process's own.

    Returns:
        0; 1 if the command could not do what it was asked, or the doctor found something wrong;
        130 if it was interrupted.
    """
    try:
        return _run(parser().parse_args(argv))
    except NotStartedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return sql.INTERRUPTED


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "version":
        print(VERSION)
        return 0
    if arguments.command == "jar":
        return print_jar()
    if arguments.command == "dbt":
        print(DBT)
        return 0
    if arguments.command == "train":
        return train.run(arguments.export)
    if arguments.command == "java":
        return train.print_java()
    if arguments.command == "doctor":
        return doctor.run(dict(arguments.conf), arguments.checkpoints)
    if arguments.command == "inspect":
        return inspect.run(arguments.checkpoint, arguments.store, arguments.files)
    if arguments.command in ("backup", "clone"):
        return copy.run(
            arguments.checkpoint, arguments.target, arguments.epoch, arguments.command == "clone"
        )
    if arguments.command == "ui":
        return ui.run(arguments.checkpoint, arguments.host, arguments.port, arguments.token)
    if arguments.command == "serve":
        return serve.run(
            serve.Asked(
                arguments.location,
                arguments.host,
                arguments.port,
                arguments.password_file,
                arguments.connections,
                arguments.statement_timeout,
                arguments.memory_limit,
                arguments.threads,
                arguments.http_port,
                arguments.cache,
            )
        )
    if arguments.command == "run":
        return sql.run_file(
            arguments.file,
            arguments.checkpoint,
            arguments.trigger,
            arguments.once,
            arguments.master,
            dict(arguments.conf),
            arguments.standby,
            arguments.takeover,
        )
    if arguments.command == "refresh":
        return refresh.run(
            arguments.files,
            arguments.checkpoint,
            arguments.every,
            arguments.master,
            dict(arguments.conf),
        )
    if arguments.command == "test":
        return test.run(arguments.paths, arguments.filter, arguments.master, dict(arguments.conf))
    if arguments.command == "pipelines":
        return pipelines.run(
            arguments.spec,
            dict(arguments.conf),
            master=arguments.master,
            dry=arguments.step == "dry-run",
            anew=getattr(arguments, "full_refresh_all", False),
            refresh=getattr(arguments, "refresh", ()),
            full_refresh=getattr(arguments, "full_refresh", ()),
        )
    if arguments.command == "compact":
        return compact.run(
            arguments.checkpoint,
            arguments.once,
            arguments.every,
            arguments.master,
            dict(arguments.conf),
        )
    if arguments.command == "sql":
        return sql.shell(arguments.master, dict(arguments.conf))
    if arguments.command == "rescale" and arguments.new is None:
        return move.rescale_pipeline(
            arguments.checkpoint, arguments.partitions, arguments.master, dict(arguments.conf)
        )
    return move.run(
        arguments.checkpoint,
        arguments.new,
        getattr(arguments, "partitions", None),
        arguments.master,
        dict(arguments.conf),
    )


def print_jar() -> int:
    """Prints the path alone, so that a shell can use it."""
    if not jar.PATH.is_file():
        print(
            f"error: {jar.PATH} is not built; in a checkout run `make jar`, else reinstall the "
            "package",
            file=sys.stderr,
        )
        return 1
    print(jar.PATH)
    return 0
