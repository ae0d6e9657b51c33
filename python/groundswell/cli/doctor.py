"""Prints what the diagnosis found."""

from collections.abc import Iterator, Sequence

from groundswell import confs
from groundswell.cli import diagnosis, environment, views
from groundswell.cli.diagnosis import Finding, Level


def run(given: dict[str, str], checkpoints: Sequence[str] = ()) -> int:
    """Looks, judges, prints.

    Args:
        given: Spark confs from the command line; they win over the session's and the defaults'.
        checkpoints: locations of pipelines, whose views are looked at.

    Returns:
        1 if anything is wrong, else 0. Notes do not count.
    """
    found = environment.gather()
    findings = diagnosis.of_environment(found)
    for line in lines(findings):
        print(line)

    settings = environment.gather_confs(given, found.spark_home)
    print()
    if settings.sources:
        print(f"Spark confs from {', '.join(settings.sources)}:")
        of_confs = diagnosis.of_confs(settings, found)
        findings += of_confs
        for line in lines(of_confs):
            print(line)
    else:
        print("No Spark confs to check (--conf, an active SparkSession or spark-defaults.conf).")
        print("A full set-up has these two, which Spark reads before it makes a context:")
        for line in needed(found):
            print(line)
        print("The plugin adds these where nothing else is set:")
        for line in added(found):
            print(line)

    for location in checkpoints:
        print()
        print(f"Views of {location}:")
        of_views = views.findings(location)
        findings += of_views
        for line in lines(of_views):
            print(line)

    wrong = sum(finding.level is Level.WRONG for finding in findings)
    print()
    print(f"{wrong} wrong" if wrong else "nothing is wrong")
    return 1 if wrong else 0


def lines(findings: list[Finding]) -> Iterator[str]:
    """The report, one finding a line, subjects aligned."""
    width = max((len(finding.subject) for finding in findings), default=0)
    for finding in findings:
        remark = f"  ({finding.remark})" if finding.remark else ""
        yield f"  {finding.level.value:<5}  {finding.subject:<{width}}  {finding.value}{remark}"


def needed(found: environment.Environment) -> Iterator[str]:
    """The confs that a full set-up needs."""
    yield f"  spark.jars={found.jar_path}"
    yield f"  {confs.PLUGIN_KEY}={confs.PLUGIN}"


def added(found: environment.Environment) -> Iterator[str]:
    """The confs that the plugin sets, as far as this jar has the classes for them."""
    known = found.jar_info.classes if found.jar_info else frozenset(confs.CLASSES.values())
    for key, name in confs.CLASSES.items():
        if name in known and key != confs.PLUGIN_KEY:
            yield f"  {key}={name}"
