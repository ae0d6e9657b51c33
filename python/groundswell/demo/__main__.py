"""``python -m groundswell.demo``: see ``live``."""

from groundswell.demo.live import main

main()
