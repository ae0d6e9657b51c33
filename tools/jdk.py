"""Finds a Java compiler that is new enough, or says what is missing and how to get it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

RELEASE = 17

HOW_TO_GET_A_JDK = f"""\
Install a JDK {RELEASE} or newer (a JRE has no compiler):
  Debian, Ubuntu:  apt-get install openjdk-17-jdk-headless
  macOS:           brew install openjdk@17
  elsewhere:       https://adoptium.net
then put its bin folder on PATH, or set JAVA_HOME to its folder."""


class JdkError(LookupError):
    """No compiler, or only old ones; the message says which and what to install."""


class Jdk(NamedTuple):
    """A Java compiler that is new enough."""

    javac: Path
    version: str

    @property
    def java(self) -> Path:
        return self.javac.with_name("java" + self.javac.suffix)

    @property
    def major(self) -> int:
        return major_of(self.version)


def major_of(version: str) -> int:
    """``17.0.15`` -> 17, ``1.8.0_402`` -> 8, anything else -> 0."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found.group(1)) if found else 0


def version_of(javac: Path) -> str:
    """What ``javac -version`` says; empty if it cannot be run."""
    try:
        said = subprocess.run([str(javac), "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    found = re.search(r"javac (\S+)", said.stdout + said.stderr)
    return found.group(1) if found else ""


def javac_candidates() -> Iterator[tuple[str, Path | None]]:
    """Where to look, in order: JAVA_HOME's compiler, then PATH's."""
    home = os.environ.get("JAVA_HOME")
    if home:
        found = shutil.which("javac", path=str(Path(home) / "bin"))
        yield f"JAVA_HOME={home}", Path(found) if found else None
    found = shutil.which("javac")
    yield "PATH", Path(found) if found else None


def find_jdk() -> Jdk:
    """The first compiler that is new enough; else an error that lists what was found."""
    seen = []
    for where, javac in javac_candidates():
        if javac is None:
            seen.append(f"{where}: no javac")
            continue
        version = version_of(javac)
        if major_of(version) >= RELEASE:
            return Jdk(javac, version)
        seen.append(f"{where}: {javac} is version {version or 'unknown (it does not run)'}")
    raise JdkError(
        f"no Java compiler of version {RELEASE} or newer was found.\n  "
        + "\n  ".join(seen)
        + "\n"
        + HOW_TO_GET_A_JDK
    )


def installed() -> dict[int, Path]:
    """Major version -> home, of the JDKs of this machine.

    ``JDK25_HOME`` names one; else JAVA_HOME's and those where Linux distributions put them.
    """
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    found: dict[int, Path] = {}
    for home in homes:
        if (home / "bin" / "javac").is_file():
            found.setdefault(major_of(version_of(home / "bin" / "javac")), home)
    for key, value in os.environ.items():
        if named := re.fullmatch(r"JDK(\d+)_HOME", key):
            found[int(named.group(1))] = Path(value)
    return found


def main() -> None:
    """Prints the compiler that a build would use."""
    try:
        jdk = find_jdk()
    except JdkError as missing:
        sys.exit(f"error: {missing}")
    print(f"{jdk.javac} {jdk.version}")


if __name__ == "__main__":
    main()
