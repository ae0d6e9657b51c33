"""What JVMs of tests are started with. Run as a program, it makes their archive of classes."""

import sys
from pathlib import Path

from groundswell import class_archive

ARCHIVES = Path(__file__).resolve().parents[1] / "build" / "class-archive"

# Tests are short: the second compiler would cost them more than it gives, and so would threads
# that collect garbage beside them. With one compiler there is room for 48 MB of code, which two
# minutes of random queries fill. Huge pages are Linux's only.
OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:ReservedCodeCacheSize=240m -XX:+UseTransparentHugePages"
)


def archive() -> Path | None:
    """Of Spark's classes alone: our jar changes with each edit."""
    return class_archive.location(None, ARCHIVES)


def jvm_options() -> str:
    """The options, with the archive where it is made."""
    shared = class_archive.sharing(archive(), None).get(class_archive.OPTIONS_KEY, "")
    return f"{OPTIONS} {shared}".strip()


if __name__ == "__main__":
    try:
        class_archive.make(None, ARCHIVES)
    except class_archive.ArchiveError as e:  # then tests are slower, and no less
        print(f"JVMs start slowly: {e}", file=sys.stderr)
