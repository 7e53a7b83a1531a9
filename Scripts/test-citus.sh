#!/bin/sh
# Runs the conformance rules, and the tests of crashes and moves, on a coordinator and workers of Citus.
#
#     Scripts/test-citus.sh COMMAND…           uses an installed Citus; without one, it prints so and does nothing
#     CITUS=path Scripts/test-citus.sh COMMAND…  builds the source tree at the path first, and installs it for PostgreSQL
#
# Building needs the headers of PostgreSQL's server, and installing the right to write to its folders.
set -eu

say() {
    printf 'test-citus: %s\n' "$*"
}

# The newest server is the one that the tests start.
config=$(ls -d /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -t / -k 5 -n | tail -n 1)
[ -n "$config" ] || config=$(command -v pg_config || true)

is_installed() {
    [ -n "$config" ] && [ -f "$("$config" --sharedir)/extension/citus.control" ] &&
        [ -f "$("$config" --pkglibdir)/citus.so" ]
}

build() {
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp -R "$CITUS/." "$folder"
    # PostgreSQL 15.20 exports this function itself, after which Citus 13.2 does not compile.
    header="$folder/src/include/pg_version_compat.h"
    if [ -f "$header" ] && grep -q '^have_createdb_privilege(void)$' "$header"; then
        sed -i.old -e 's/^have_createdb_privilege(void)$/citus_have_createdb_privilege(void)/' "$header"
        sed -i.old -e '/^citus_have_createdb_privilege(void)$/,/^}$/{
            /^}$/a\
#define have_createdb_privilege citus_have_createdb_privilege
        }' "$header"
    fi
    say "building $CITUS"
    (cd "$folder" && ./configure --without-libcurl PG_CONFIG="$config" && make with_llvm=no -j2 &&
        make with_llvm=no install) >"$folder/build.log" 2>&1 || {
        tail -n 20 "$folder/build.log" >&2
        exit 1
    }
}

if [ -n "${CITUS:-}" ]; then
    [ -n "$config" ] || {
        say "PostgreSQL's pg_config is not installed." >&2
        exit 1
    }
    build
elif ! is_installed; then
    say "not run: Citus is not installed. CITUS=path builds and installs a source tree of it."
    exit 0
fi
CABINET_CITUS=1 "$@"
