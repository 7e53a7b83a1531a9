#!/bin/sh
# Fuzzes the parser of filters with the toolchain's libFuzzer, for a time.
#
#     Scripts/fuzz.sh BUILD SECONDS
#
# BUILD is a folder for what is built, and for the inputs that were found to lead to new places in the code; a second run goes
# on from there. An input that traps, hangs, takes too much memory or breaks a rule is left in BUILD/findings: cut it down
# (BUILD/filter-fuzzer -minimize_crash=1 -max_total_time=60 FILE), put it into Tests/CabinetTests/Query/Corpus, and repair
# what it found. The toolchain that comes with Xcode has no libFuzzer; the one from swift.org has.
set -eu

build=$1
seconds=$2
corpus=Tests/CabinetTests/Query/Corpus
features="-enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility"
flags="-swift-version 6 -package-name cabinet -O -wmo -parse-as-library -sanitize=fuzzer $features"

mkdir -p "$build/findings" "$build/found"
rm -rf "$build/seeds"
mkdir "$build/seeds"

# The whole core is built anew, because the fuzzer learns from counters in its code.
printf 'fuzz: building\n'
mkdir -p "$build/CSHA256"
printf 'module CSHA256 { header "%s" }\n' "$PWD/Sources/CSHA256/include/sha256.h" > "$build/CSHA256/module.modulemap"
clang -O2 -c -I Sources/CSHA256/include -o "$build/sha256.o" Sources/CSHA256/sha256.c
# shellcheck disable=SC2046,SC2086 # one word per file and flag
swiftc $flags -I "$build/CSHA256" -module-name Cabinet -static -emit-library -o "$build/libCabinet.a" \
    -emit-module -emit-module-path "$build/Cabinet.swiftmodule" $(find Sources/Cabinet -name '*.swift' | sort)
# shellcheck disable=SC2086
swiftc $flags -module-name FilterFuzzer -I "$build" -I "$build/CSHA256" "$build/sha256.o" -L "$build" -lCabinet -lswiftSynchronization -o "$build/filter-fuzzer" \
    Tests/FilterFuzzer/*.swift Tests/CabinetTests/Query/FilterFuzzChecks.swift

# One line of the corpus is one input.
awk -v folder="$build/seeds" 'NF { name = sprintf("%s/%04d", folder, NR); printf "%s", $0 > name; close(name) }' \
    "$corpus"/*.txt

"$build/filter-fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
    -dict="$corpus/words.dict" -artifact_prefix="$build/findings/" -verbosity=0 -print_final_stats=1 \
    "$build/found" "$build/seeds"
