"""A process that sends what is due, to be killed. Its lease (s) is its first argument, so that no test waits long."""

import os
import sys
import time
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from infrastructure.background import queues  # noqa: E402 - it needs the apps, which are there by now
from infrastructure.webhooks import deliveries  # noqa: E402


def main(lease_s: float) -> None:
    queues.LEASE = timedelta(seconds=lease_s)
    while True:
        deliveries.deliver_due()
        time.sleep(0.1)


if __name__ == "__main__":
    main(float(sys.argv[1]))
