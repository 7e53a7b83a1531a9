#!/bin/sh
# Has the compiler check that each of the core's folders needs those before it alone: it compiles Records, then Records and Errors,
# and so on. Folders with a comma between them do not use each other. Typed, the last folder, is compiled with the package.
set -eu
cd "$(dirname "$0")/.."

layers="Records Errors Filters Queries Storage Memory,Rules Service Engine Container"
features="-enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility"

lower=
for layer in $layers; do
    folders=
    for folder in $(echo "$layer" | tr , ' '); do
        # shellcheck disable=SC2046,SC2086 # one word per file and flag
        swiftc -typecheck -wmo -swift-version 6 -parse-as-library -package-name cabinet -module-name Cabinet $features \
            -I Sources/CSHA256/include $(find $lower "Sources/Cabinet/$folder" -name '*.swift' | sort) ||
            { echo "check-layers: Sources/Cabinet/$folder uses a folder that does not come before it" >&2; exit 1; }
        folders="$folders Sources/Cabinet/$folder"
    done
    lower="$lower$folders"
done
