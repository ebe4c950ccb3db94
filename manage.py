#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from config.firstrun import prepare_if_bare
from config.operations.private_files import write_privately

#: Commands that a fresh clone begins with, where no key was made yet.
FIRST = ("serve", "demo")

if __name__ == "__main__":
    write_privately()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] and sys.argv[1] in FIRST and os.environ["DJANGO_SETTINGS_MODULE"] == "config.settings":
        prepare_if_bare(os.environ)
    execute_from_command_line(sys.argv)
