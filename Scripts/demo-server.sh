#!/bin/sh
# Plays the shopping list of two users on a server of its own, and ends the server.
#
#     Scripts/demo-server.sh BIN STORE    BIN has the programs; STORE is the server's folder, which does not exist yet
set -eu

bin=$1
store=$2
files=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$files"' EXIT
trap 'exit 130' INT TERM

echo "THE SHOPPING LIST ON A SERVER"
echo
echo "Two users are added, each with a file of credentials. Then the server starts."
for user in ann ben; do
    "$bin/cabinet" users add "$user" --store "$store" >/dev/null
    "$bin/cabinet" users sign-in "$user" --store "$store" --to "$files/$user.json"
done
"$bin/cabinet" serve --store "$store" --container com.example.shopping-list --listen 127.0.0.1:0 >"$files/log" &
server=$!
while [ ! -s "$files/log" ]; do
    kill -0 "$server"
    sleep 0.1
done
url=$(sed -n '1s/^Listening on //p' "$files/log")

as() {
    user=$1
    shift
    CABINET_CREDENTIALS="$files/$user.json" "$bin/shopping-list" "$@" --store "$url"
}

echo
echo "Ann adds a list with an item, Ben adds another list."
as ann lists add Groceries >/dev/null
as ann items add Groceries Milk --number 2 >/dev/null
as ben lists add Hardware >/dev/null
as ben items add Hardware Nails >/dev/null
echo
echo "Each sees the own list alone."
for user in ann ben; do
    list=$(as "$user" lists | cut -f 1)
    as "$user" items "$list" | cut -f 1,2 | while read -r item number; do
        echo "    $user, $list: $item, $number"
    done
done
echo
echo "Ann shares the list with Ben, by his record name. Ben joins it with its URL, and changes it."
share=$(as ann lists share Groceries "$(as ben user)" | cut -f 2)
as ben lists join "$share" >/dev/null
as ben items add Groceries Bread --number 3 >/dev/null
for user in ann ben; do
    echo "    $user: $(as "$user" lists | cut -f 1 | paste -s -d , -)"
done
as ann items Groceries | cut -f 1,2 | while read -r item number; do
    echo "    ann, Groceries: $item, $number"
done
echo
echo "Ann sees the users of the list. Then Ben leaves it."
as ann lists users Groceries | cut -f 2,3 | while IFS="$(printf '\t')" read -r right state; do
    echo "    $right, $state"
done
as ben lists leave Groceries >/dev/null
echo "    ben: $(as ben lists | cut -f 1)"
echo
echo "An operator reads Ann's records, as Ann."
"$bin/cabinet" query Items --store "$url" --container com.example.shopping-list --credentials "$files/ann.json" \
    --fields name,number --format csv | cut -d , -f 2- | sed 's/^/    /'

phone() {
    CABINET_CREDENTIALS="$files/ann.json" "$bin/shopping-list" "$@" --store "$files/phone" --mirror "$url"
}

echo
echo "Ann's phone mirrors the server. The server ends, and she adds an item all the same."
phone lists >/dev/null
kill "$server"
wait "$server"
phone items add Groceries Eggs --number 6 >/dev/null 2>&1
"$bin/cabinet" mirror --store "$files/phone" --credentials "$files/ann.json" | sed 's/^/    phone: /'
echo
echo "The server starts again, and gets the item."
: >"$files/log"
"$bin/cabinet" serve --store "$store" --container com.example.shopping-list --listen "${url#http://}" >"$files/log" &
server=$!
while [ ! -s "$files/log" ]; do
    kill -0 "$server"
    sleep 0.1
done
"$bin/cabinet" mirror --store "$files/phone" --mirror "$url" --container com.example.shopping-list \
    --credentials "$files/ann.json" | sed 's/^/    phone: /'
as ann items Groceries | cut -f 1,2 | while read -r item number; do
    echo "    ann, Groceries: $item, $number"
done
kill "$server"
wait "$server"
server=
