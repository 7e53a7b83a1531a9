#!/bin/sh
# Walks through the dashboard in a browser, and writes the pictures of its article.
#
#     Scripts/draw-pages.sh BIN    BIN has the programs, such as .build/make/debug; ImageMagick's convert makes the pictures small
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$root/Tests/Support/Browser/walkthrough.py" "$1" "$folder/server" "$root/Examples/Notes/Demo/hills.jpg" \
    "$root/Sources/CabinetDashboard/CabinetDashboard.docc/Resources"
