#!/bin/sh
# web | worker [options of celery worker] | beat | any other command, run as it stands.
set -eu
umask 077
cd "$(dirname "$0")/.."

role="${1:-web}"
if [ $# -gt 0 ]; then shift; fi

case "$role" in
    web)
        # Migrations run here and nowhere else; workers and beat wait until web is healthy. The lock makes several
        # web containers on one data volume take turns, so that all but the first find nothing left to do.
        exec 9>"$EARSHOT_DATA/.starting"
        flock 9
        python manage.py migrate --noinput
        # Static files live on the data volume, which hides whatever the image had there: so at start, not at build.
        # Files of earlier releases stay, for the pages that are open in browsers during an upgrade.
        python manage.py collectstatic --noinput --verbosity=0
        exec 9>&-
        exec python manage.py serve --host 0.0.0.0 --port 8000
        ;;
    worker)
        exec celery -A config worker --loglevel=INFO --concurrency=2 "$@"
        ;;
    beat)
        # Neither file is worth keeping: the clock's only entry is due every few seconds.
        exec celery -A config beat --loglevel=INFO --schedule=/tmp/beat-schedule --pidfile=
        ;;
    *)
        exec "$role" "$@"
        ;;
esac
