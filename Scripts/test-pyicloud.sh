#!/bin/sh
# Runs the CloudKit client of pyicloud, unmodified, against `cabinet serve` over TLS.
#
#     Scripts/test-pyicloud.sh CABINET    the program
#
# pyicloud comes from PyPI, into .build/pyicloud.
set -eu

cabinet=$1
root=$(cd "$(dirname "$0")/.." && pwd)
python=$root/.build/pyicloud/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$root/.build/pyicloud"
    "$root/.build/pyicloud/bin/pip" install --quiet pyicloud==2026.10.1
fi

folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
export CABINET_STORE="$folder/store"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/chain.pem" 2>/dev/null
printf '{"listen": ["127.0.0.1:0"], "tls": {"certificate": "%s", "key": "%s"}}' "$folder/chain.pem" "$folder/key.pem" \
    > "$folder/cabinet.json"
"$cabinet" users add ann > /dev/null
web_token=$("$cabinet" users sign-in ann)
api_token=$("$cabinet" tokens add pyicloud)
"$cabinet" serve --container com.example.notes --config "$folder/cabinet.json" > "$folder/log" &
server=$!
for _ in $(seq 100); do
    url=$(sed -n 's/^Listening on //p' "$folder/log")
    [ -z "$url" ] || break
    sleep 0.1
done
"$python" "$root/Tests/Clients/pyicloud_client.py" "https://localhost:${url##*:}" "$api_token" "$web_token" "$folder/chain.pem"
