#!/bin/sh
# Builds the documentation with the toolchain's own DocC, one archive per library, and merges the archives.
#
#     Scripts/docs.sh OUTPUT [FLAGS OF SWIFT PACKAGE …]
#
# A warning of DocC (a link that leads nowhere, a parameter that does not exist) fails.
set -eu

output=$1
shift
modules="Cabinet CabinetSQLite CabinetPostgres CabinetWire CabinetServer CabinetListener CabinetRemote CabinetICloud CabinetMirror CabinetEncryption CabinetTools CabinetDashboard CabinetTesting CabinetConformance CabinetCloudKit"

fail() {
    printf 'docs: %s\n' "$*" >&2
    exit 1
}

# The compiler knows where it stands; docc stands beside it, even if `swift` is only a link to it.
if [ "$(uname -s)" = Darwin ]; then
    docc=$(xcrun --find docc)
else
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    docc=$resources/../../bin/docc
fi
[ -x "$docc" ] || fail "docc was not found at $docc. It comes with Swift's toolchain: https://www.swift.org/install"

rm -rf "$output"
mkdir -p "$output/modules"
printf 'docs: building, and reading the symbols\n'
swift build "$@" || fail "the package does not build"
graphs=$(swift build "$@" --show-bin-path)/../symbolgraph
rm -rf "$graphs"
log=$output/modules/symbols.log
# The command extracts the symbols of every module, and fails for the bundle of the tests, which cannot be imported. The loop below
# checks that the symbols of the libraries exist.
swift package "$@" dump-symbol-graph --skip-synthesized-members --emit-extension-block-symbols >"$log" 2>&1 || true
archives=
for module in $modules; do
    mkdir "$output/modules/$module"
    [ -f "$graphs/$module.symbols.json" ] || {
        cat "$log" >&2
        fail "$module has no symbol graph in $graphs"
    }
    cp "$graphs/$module".symbols.json "$graphs/$module"@*.symbols.json "$output/modules/$module" 2>/dev/null || true

    set --
    for archive in $archives; do
        set -- "$@" --dependency "$archive"
    done
    catalog=Sources/$module/$module.docc
    if [ -d "$catalog" ]; then
        set -- "$catalog" "$@"
    fi
    printf 'docs: %s\n' "$module"
    "$docc" convert "$@" \
        --additional-symbol-graph-dir "$output/modules/$module" \
        --output-path "$output/modules/$module.doccarchive" \
        --fallback-display-name "$module" \
        --fallback-bundle-identifier "cabinet.$module" \
        --enable-experimental-external-link-support \
        --warnings-as-errors
    archives="$archives $output/modules/$module.doccarchive"
done

# shellcheck disable=SC2086 # one word per archive
"$docc" merge $archives --output-path "$output/Cabinet.doccarchive" --synthesized-landing-page-name Cabinet
printf 'docs: %s. To read: python3 -m http.server --directory %s, then /documentation\n' \
    "$output/Cabinet.doccarchive" "$output/Cabinet.doccarchive"
