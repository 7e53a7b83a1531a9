#!/bin/sh
# Has the compiler check that each of the core's lower folders needs those before it alone: it compiles Records, then Records and
# Errors, and so on. Tests/PackageTests/LayerCheck.swift checks all folders, by the names of types; the compiler sees members too.
# A folder joins this list when no arrow from it points back any more.
set -eu
cd "$(dirname "$0")/.."

layers="Records Errors Filters Queries"
features="-enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility"

folders=
for layer in $layers; do
    folders="$folders Sources/Cabinet/$layer"
    # shellcheck disable=SC2046,SC2086 # one word per file and flag
    swiftc -typecheck -wmo -swift-version 6 -parse-as-library -package-name cabinet -module-name Cabinet $features \
        -I Sources/CSHA256/include $(find $folders -name '*.swift' | sort) ||
        { echo "check-layers: Sources/Cabinet/$layer uses a folder that comes after it" >&2; exit 1; }
done
