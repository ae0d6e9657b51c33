"""Parses the command line and runs one command."""

import argparse
import sys
from collections.abc import Sequence

from groundswell import jar
from groundswell.cli import doctor
from groundswell.version import VERSION


def conf_pair(text: str) -> tuple[str, str]:
    """``key=value`` -> the pair.

    Raises:
        argparse.ArgumentTypeError: there is no ``=`` or no key before it.
    """
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form key=value")
    return key.strip(), value.strip()


def parser() -> argparse.ArgumentParser:
    """The whole grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="groundswell", description="Incremental views and a state store for Apache Spark."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("jar", help="print the jar's path, for spark-submit --jars")
    commands.add_parser("version", help="print the package's version")
    check = commands.add_parser(
        "doctor", help="print versions and settings, and what is wrong with them"
    )
    check.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        type=conf_pair,
        action="append",
        default=[],
        help="a Spark conf to check, as given to spark-submit; may be repeated",
    )
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: the arguments; None takes the process's own.

    Returns:
        0, or 1 if the jar is not there or the doctor found something wrong.
    """
    arguments = parser().parse_args(argv)
    if arguments.command == "version":
        print(VERSION)
        return 0
    if arguments.command == "jar":
        return print_jar()
    return doctor.run(dict(arguments.conf))


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
