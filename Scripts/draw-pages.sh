#!/bin/sh
# Walks through the dashboard and the pages of the examples in a browser, and writes the pictures of their articles.
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
mkdir "$folder/pictures"
"$python" "$root/Tests/Support/Browser/examples.py" "$1" "$folder/stores" "$root/Examples/Notes/Demo/hills.jpg" "$folder/pictures"
for name in list notes; do
    convert "$folder/pictures/$name-800.png" -strip -trim -bordercolor white -border 24 +dither -colors 64 \
        "PNG8:$root/Sources/CabinetServer/CabinetServer.docc/Resources/page-$name.png"
done
