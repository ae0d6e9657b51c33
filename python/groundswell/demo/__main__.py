"""Entry of ``python -m groundswell.demo``."""

from groundswell.demo.live import main

main()
