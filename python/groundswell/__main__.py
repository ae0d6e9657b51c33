"""``python -m groundswell``: see ``groundswell.cli``."""

import sys

from groundswell.cli.main import main

sys.exit(main())
