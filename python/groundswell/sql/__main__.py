"""``python -m groundswell.sql``: answers for pipelines in a JVM that began without Python.

Not for people: the JVM starts it, and it ends when the JVM closes its standard input.
"""

import sys

from groundswell.jvm.sql import attach
from groundswell.sql.bridge import answer_for

spark = attach()
answer_for(spark)
sys.stdin.read()
