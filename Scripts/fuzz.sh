#!/bin/sh
# Fuzzes the parser of filters with the toolchain's libFuzzer, for a time.
#
#     Scripts/fuzz.sh BUILD SECONDS
#
# BUILD is a folder for the build, and for the inputs that reached new code. A second run continues from them. An input that traps, hangs, takes too much memory or breaks a rule is left in BUILD/findings: cut it down
# (BUILD/filter-fuzzer -minimize_crash=1 -max_total_time=60 FILE), put it into Tests/CabinetTests/Filters/Parser/Corpus, and repair
# what it found. The toolchain that comes with Xcode has no libFuzzer; the one from swift.org has.
set -eu

build=$1
seconds=$2
corpus=Tests/CabinetTests/Filters/Parser/Corpus
features="-enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility"
flags="-swift-version 6 -O -wmo -parse-as-library -sanitize=fuzzer -package-name cabinet $features
    -I Sources/CSHA256/include"

mkdir -p "$build/findings" "$build/found"
rm -rf "$build/seeds"
mkdir "$build/seeds"

# The whole core is rebuilt, because the fuzzer learns from counters in its code.
printf 'fuzz: building\n'
# shellcheck disable=SC2046,SC2086 # one word per file and flag
swiftc $flags -module-name Cabinet -static -emit-library -o "$build/libCabinet.a" \
    -emit-module -emit-module-path "$build/Cabinet.swiftmodule" $(find Sources/Cabinet -name '*.swift' -not -path '*.docc/*' | sort)
"${CC:-clang}" -O2 -I Sources/CSHA256/include -c Sources/CSHA256/sha256.c -o "$build/sha256.o"
# shellcheck disable=SC2086
swiftc $flags -module-name FilterFuzzer -I "$build" -L "$build" -lCabinet -lswiftSynchronization "$build/sha256.o" \
    -o "$build/filter-fuzzer" \
    Tests/Support/FilterFuzzer/*.swift Tests/CabinetTests/Filters/Parser/FilterFuzzChecks.swift

# One line of the corpus is one input.
awk -v folder="$build/seeds" 'NF { name = sprintf("%s/%04d", folder, NR); printf "%s", $0 > name; close(name) }' \
    "$corpus"/*.txt

"$build/filter-fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
    -dict="$corpus/words.dict" -artifact_prefix="$build/findings/" -verbosity=0 -print_final_stats=1 \
    "$build/found" "$build/seeds"
