#!/bin/sh
# Fuzzes the parser of filters, and the readers of what arrives over a network, with the toolchain's libFuzzer, for a time each.
#
#     Scripts/fuzz.sh BUILD SECONDS [TARGET...]
#
# TARGET is filter, or a reader of WireFuzzChecks.Target, such as token; all without one.
# BUILD is a folder for the build, and for the inputs that reached new code. A second run continues from them. An input that traps, hangs, takes too much memory or breaks a rule is left in BUILD/findings: cut it down
# (BUILD/filter-fuzzer -minimize_crash=1 -max_total_time=60 FILE), put it into Tests/CabinetTests/Filters/Parser/Corpus, and repair
# what it found. An input of another reader goes into FuzzSeeds.found. The toolchain that comes with Xcode has no libFuzzer; the one from swift.org has.
set -eu

build=$1
seconds=$2
shift 2
targets=${*:-filter request cloudKitRequest answer cloudKitAnswer token keySet signature ticket target form signals}
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

library() { # MODULE FLAGS...
    module=$1
    shift
    # shellcheck disable=SC2046,SC2086
    swiftc $flags "$@" -module-name "$module" -static -emit-library -o "$build/lib$module.a" -I "$build" \
        -emit-module -emit-module-path "$build/$module.swiftmodule" $(find "Sources/$module" -name '*.swift' | sort)
}

fuzz() { # TARGET
    mkdir -p "$build/found/$1" "$build/seeds/$1"
    printf 'fuzz: %s\n' "$1"
    case $1 in
    filter)
        # One line of the corpus is one input.
        awk -v folder="$build/seeds/filter" \
            'NF { name = sprintf("%s/%04d", folder, NR); printf "%s", $0 > name; close(name) }' "$corpus"/*.txt
        set -- filter "$build/filter-fuzzer" "-dict=$corpus/words.dict"
        ;;
    *)
        CABINET_FUZZ_TARGET=$1 CABINET_FUZZ_SEEDS=$build/seeds/$1 "$build/wire-fuzzer"
        # Each request and answer of the seam.
        python3 - "$1" "$build/seeds/$1" <<'END'
import json, pathlib, sys
target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
files = sorted(pathlib.Path("Tests/ServiceRuleTests/Golden").glob("*.json"))
names = [file.stem for file in files if file.stem != "error"]
for file in files if target in ("request", "answer") else []:
    for name, part in json.loads(file.read_text()).items():
        text = json.dumps(part, separators=(",", ":")).encode()
        choices = range(9)
        if target == "request":
            choices = [names.index(file.stem)] if name.startswith("request") else []
        for choice in choices:
            (folder / f"{file.stem}-{name}-{choice}").write_bytes(bytes([choice]) + text)
END
        export CABINET_FUZZ_TARGET="$1"
        set -- "$1" "$build/wire-fuzzer"
        ;;
    esac
    target=$1
    shift
    "$@" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -artifact_prefix="$build/findings/$target-" \
        -verbosity=0 -print_final_stats=1 "$build/found/$target" "$build/seeds/$target"
}

case " $targets " in
*" filter "*)
    # shellcheck disable=SC2086
    swiftc $flags -module-name FilterFuzzer -I "$build" -L "$build" -lCabinet -lswiftSynchronization "$build/sha256.o" \
        -o "$build/filter-fuzzer" \
        Tests/Support/FilterFuzzer/*.swift Tests/CabinetTests/Filters/Parser/FilterFuzzChecks.swift
    ;;
esac
if [ "$targets" != filter ]; then
    library CabinetWire -enable-testing
    library CabinetServer -enable-testing -I Sources/COpenSSL
    # shellcheck disable=SC2086
    swiftc $flags -module-name WireFuzzer -I "$build" -I Sources/COpenSSL -L "$build" -lCabinetServer -lCabinetWire -lCabinet \
        -lswiftSynchronization -lcrypto "$build/sha256.o" -o "$build/wire-fuzzer" \
        Tests/Support/WireFuzzer/*.swift Tests/CabinetServerTests/Access/TokenVector.swift \
        Tests/CabinetServerTests/Fuzzing/CloudKitAnswerCheck.swift Tests/CabinetServerTests/Fuzzing/FuzzSeeds.swift \
        Tests/CabinetServerTests/Fuzzing/WireFuzzChecks.swift
fi
for target in $targets; do fuzz "$target"; done
