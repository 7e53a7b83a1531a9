#!/bin/bash
# Types an article, or README, into an empty package, step by step, and compares the output of its commands with the article.
#
#     Scripts/guide.sh ARTICLE FOLDER [FLAGS OF SWIFT …]
#
# With the article "Getting started" it also runs each step of the tutorial as a program of the same package.
# The folder keeps the build, so that a second run takes seconds. In the article, the line above a Swift block names its file
# (`Sources/A.swift`:). The script runs shell blocks, and the lines of text blocks that begin with "$ ". The other lines of a text block
# are the expected output.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
articles=$root/Sources/Cabinet/Cabinet.docc
article=$articles/$1.md
[ "$1" != README ] || article=$root/README.md
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
flags=("--scratch-path" "$folder/scratch" "$@")

fail() {
    printf 'guide: %s\n' "$*" >&2
    exit 1
}

# The reader types `swift run Check`; here it also says where to build, and keeps quiet about it.
swift() {
    if [ "$1" = package ] || [ "$1" = test ]; then
        command swift "$1" "${flags[@]}" "${@:2}" >"$folder/log" 2>&1 || { cat "$folder/log" >&2 && fail "swift $* failed"; }
        return
    fi
    command swift "$1" "${flags[@]}" "${@:2}" 2>"$folder/log" || {
        [ "$1" = run ] && grep -q '^Build.*complete' "$folder/log" || { cat "$folder/log" >&2 && fail "swift $* failed"; }
    }
}

rm -rf "$folder/blocks" "$folder/work"
mkdir -p "$folder/blocks" "$folder/work"
ln -s "$root" "$folder/work/cabinet"
# README begins in the folder of the new package, and the articles create one.
ln -sfn "$root" "$folder/cabinet"

# Each block becomes a file, whose first line says what kind of block it is, and which file it is typed into.
awk -v folder="$folder/blocks" '
    /^```/ && isOpen { isOpen = 0; close(file); next }
    /^```/ {
        isOpen = 1
        file = sprintf("%s/%03d", folder, ++count)
        print substr($0, 4) " " path > file
        path = ""
        next
    }
    isOpen { print > file; next }
    match($0, /`[^` ]+`:$/) { path = substr($0, RSTART + 1, RLENGTH - 3) }
' "$article"

steps=0
wrong=0
cd "$folder/work"
for block in "$folder"/blocks/*; do
    read -r kind path <"$block" || true
    tail -n +2 "$block" >"$folder/block"
    case $kind in
    swift)
        [ -n "$path" ] || fail "no line names the file of this block: $(head -1 "$folder/block")"
        mkdir -p "$(dirname "$path")"
        cp "$folder/block" "$path"
        ;;
    sh) . "$folder/block" ;;
    text)
        sed -n 's/^\$ //p' "$folder/block" >"$folder/commands"
        expected=$(grep -v '^\$ ' "$folder/block" | tr -s ' ')
        found=$(. "$folder/commands") || fail "$(cat "$folder/commands") failed"
        found=$(printf '%s\n' "$found" | tr -s ' ')
        steps=$((steps + 1))
        printf 'guide: step %s: %s\n' "$steps" "$found"
        [ "$found" = "$expected" ] || {
            printf 'guide: step %s:   the article says: %s\n' "$steps" "$expected" >&2
            wrong=1
        }
        ;;
    *) fail "a block is of the kind '$kind', which nothing is done with" ;;
    esac
done
[ "$steps" -gt 0 ] || fail "the article has no step"
swift build --build-tests >/dev/null
[ "$wrong" = 0 ] || fail "correct the output in $article"
if [ "$(basename "$article")" = GettingStarted.md ]; then
    for step in "$articles"/Resources/ShoppingList?.swift; do
        cp "$step" Sources/Shop/main.swift
        printed=$(swift run Shop | grep -v '^On the screen: [012]$' || true)
        said=$(sed -n 's/^        "\(.*\)",$/\1/p' "$root/Tests/ArticleTests/Tutorial/TutorialSteps.swift" |
            head -n "$(printf '%s' "$printed" | grep -c .)")
        [ "$printed" = "$said" ] || fail "$(basename "$step") prints: $printed"
        printf 'guide: %s: %s\n' "$(basename "$step")" "$(printf '%s\n' "$printed" | tail -1)"
    done
fi
printf 'guide: the article is right in %s steps\n' "$steps"
