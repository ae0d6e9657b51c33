"""The Spark confs that switch Groundswell on, and the class names that go there.

The provider's name is pinned in every checkpoint that it writes: it never changes.
"""

PROVIDER_KEY = "spark.sql.streaming.stateStore.providerClass"
PROVIDER = "io.groundswell.EpochStateStoreProvider"

FILE_MANAGER_KEY = "spark.sql.streaming.checkpointFileManagerClass"
FILE_MANAGER = "io.groundswell.GroundswellCheckpointFileManager"

PLUGIN_KEY = "spark.plugins"
PLUGIN = "io.groundswell.GroundswellPlugin"

EXTENSIONS_KEY = "spark.sql.extensions"
EXTENSIONS = "io.groundswell.GroundswellExtensions"

MEMORY_KEY = "spark.memory.unmanagedMemoryPollingInterval"
MEMORY = "1s"
"""How often Spark asks what we hold, so that its own cache makes room. Spark's default: never."""

CLASSES = {
    PROVIDER_KEY: PROVIDER,
    FILE_MANAGER_KEY: FILE_MANAGER,
    PLUGIN_KEY: PLUGIN,
    EXTENSIONS_KEY: EXTENSIONS,
}
"""Conf key -> the class that a full set-up has there (in a list, for the last two)."""

MASTER_KEY = "spark.master"
ARCHIVE_KEY = "spark.groundswell.archive"
ARCHIVE_USE, ARCHIVE_AUTO, ARCHIVE_OFF = ARCHIVE_VALUES = ("use", "auto", "off")
"""Whether JVMs start from a file of what others learned: if there is one (the default); and one is
made where there is none; never."""
DRIVER_OPTIONS_KEYS = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")
EXECUTOR_OPTIONS_KEY = "spark.executor.extraJavaOptions"
