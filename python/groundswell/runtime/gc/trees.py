"""Removes the files of folders, unless another run has the location by then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import SparkSession

from groundswell import jvm


def clear(spark: SparkSession, location: str) -> None:
    """Deletes a folder that nobody uses any more, now, with all that is in it.

    Such are rows that a dropped table was given and no barrier took, what a transaction has staged
    that was rolled back, and the location of a pipeline that begins anew.
    """
    jvm.FileTree(spark, location).clear()


def remove(trees: Sequence[jvm.FileTree], may: Callable[[], bool]) -> bool:
    """Deletes what folders hold now, and the folders.

    Args:
        trees: the folders. What another run, or a later use of their names, writes into them
            meanwhile stays.
        may: is asked when the files were listed; False: nothing is deleted. It raises if another
            run has the location.

    Returns:
        Whether it might.
    """
    listed = [tree.files() for tree in trees]
    if not may():
        return False
    for tree, files in zip(trees, listed, strict=True):
        tree.delete(files)
        tree.prune()
    return True
