#!/bin/sh
# Measures `cabinet serve` beside a constant answer and the same work by hand, with wrk.
#
#     Scripts/bench-server.sh CABINET [SECONDS]    a release build of the program, and the seconds of each row (5)
#
# The work by hand is Benchmarks/Server/twin.py, whose packages come from PyPI into .build/twin. PostgreSQL is a cluster in a temporary folder.
set -eu

cabinet=$1
root=$(cd "$(dirname "$0")/.." && pwd)
command -v wrk > /dev/null || {
    echo "bench-server: wrk is missing. Install it (apt-get install wrk, brew install wrk), then try again." >&2
    exit 1
}
if [ ! -x "$root/.build/twin/bin/uvicorn" ]; then
    python3 -m venv "$root/.build/twin"
    "$root/.build/twin/bin/pip" install --quiet uvicorn uvloop httptools asyncpg
fi
for program in constant lookup; do
    # shellcheck disable=SC2046 # one word per flag
    cc -O2 -o "$root/.build/$program" "$root/Benchmarks/Server/$program.c" $(pkg-config --cflags --libs libmicrohttpd sqlite3)
done

programs=
for folder in "$(dirname "$(command -v initdb || echo /)")" /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin; do
    [ ! -x "$folder/initdb" ] || programs=$folder
done
[ -n "$programs" ] || { echo "bench-server: PostgreSQL's server is missing. Run: make setup" >&2; exit 1; }
folder=$(mktemp -d)
as_owner=
# PostgreSQL does not run as root.
if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$folder"
    as_owner="runuser -u postgres --"
fi
trap '$as_owner "$programs/pg_ctl" -D "$folder/data" -m immediate stop > /dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
$as_owner "$programs/initdb" -D "$folder/data" -A trust -U bench > /dev/null
$as_owner "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w start \
    -o "-c listen_addresses='' -c unix_socket_directories='$folder'" > /dev/null
"$root/.build/twin/bin/python" "$root/Benchmarks/Server/run.py" "$cabinet" "$root/.build/constant" \
    "$root/.build/lookup" "$root/.build/twin/bin/python" "postgresql://bench@/postgres?host=$folder" "${2:-5}"
