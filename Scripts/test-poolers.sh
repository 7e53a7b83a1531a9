#!/bin/sh
# Runs every rule, and the tests of signals, behind PgBouncer in session and in transaction mode.
#
#     Scripts/test-poolers.sh SWIFT_TEST_ARGUMENTS…
#
# Transaction mode needs version 1.21 or later, which keeps the prepared statements of its clients apart. PGBOUNCER=path names
# a program other than the installed one.
set -eu

program="${PGBOUNCER:-}"
for candidate in "$(command -v pgbouncer || true)" /usr/sbin/pgbouncer /usr/local/bin/pgbouncer; do
    [ -n "$program" ] || [ ! -x "$candidate" ] || program=$candidate
done
if [ -z "$program" ] || [ ! -x "$program" ]; then
    echo "test-poolers: not run: PgBouncer is not installed. Run 'make setup', or name one with PGBOUNCER=path."
    exit 0
fi
version=$("$program" --version | sed -n 's/^PgBouncer \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
oldest=$(printf '1.21\n%s\n' "$version" | sort -t . -k 1,1n -k 2,2n | head -n 1)
if [ "$oldest" = 1.21 ]; then
    echo "test-poolers: PgBouncer $version, session and transaction mode"
else
    echo "test-poolers: PgBouncer $version, session mode"
    echo "test-poolers: not run: transaction mode needs PgBouncer 1.21 or later. Name one with PGBOUNCER=path."
fi
CABINET_PGBOUNCER=$program exec swift test "$@" --filter 'CabinetPostgresTests.Pooler'
