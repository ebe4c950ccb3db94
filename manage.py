#!/usr/bin/env python
"""Django's command line."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

from config.firstrun import prepare_if_bare
from config.operations.private_files import write_privately

#: Commands that a fresh clone begins with, where no key was made yet.
FIRST = ("serve", "demo")
#: Objects created, less those freed, before a collection of the youngest, and collections before one of the older.
#: With Python's (700, 10, 10) a sixth of a start goes into looking for garbage among modules, which there is not.
ROUNDS = (10_000, 50, 10)

if __name__ == "__main__":
    gc.set_threshold(*ROUNDS)
    write_privately()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] and sys.argv[1] in FIRST and os.environ["DJANGO_SETTINGS_MODULE"] == "config.settings":
        prepare_if_bare(os.environ)
    execute_from_command_line(sys.argv)
