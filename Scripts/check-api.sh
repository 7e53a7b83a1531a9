#!/bin/sh
# Compares the public declarations with those of the last release: what a program may use stays, and means the same.
#
#     Scripts/check-api.sh [TAG] [FLAG …]    TAG is the last release's by default; before the first release there is nothing to compare
set -eu
cd "$(dirname "$0")/.."

base=${1:-}
[ $# -eq 0 ] || shift
[ -n "$base" ] || base=$(git describe --tags --abbrev=0 --match '[0-9]*.[0-9]*.[0-9]*' 2>/dev/null || true)
if [ -z "$base" ]; then
    echo "check-api: nothing was released yet"
    exit 0
fi
swift package "$@" diagnose-api-breaking-changes "$base" ||
    { echo "check-api: keep what $base has, or make the next version a major one" >&2; exit 1; }
