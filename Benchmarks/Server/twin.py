"""The same work by hand: uvicorn, asyncpg, and SQL for one table of the same records.

Run by run.py: twin.py DSN. It prints its address as `cabinet serve` does.
"""

import asyncio
import json
import secrets
import socket
import sys
import time

import asyncpg
import uvicorn

FIELDS = "name, title, number, price, due, note, tag, created, modified, change"
pool = None


def record(row):
    return {
        "recordName": row[0],
        "recordType": "Items",
        "fields": {
            "title": {"value": row[1], "type": "STRING"},
            "number": {"value": row[2], "type": "INT64"},
            "price": {"value": row[3], "type": "DOUBLE"},
            "due": {"value": row[4], "type": "TIMESTAMP"},
            "note": {"value": row[5], "type": "STRING"},
        },
        "recordChangeTag": row[6],
        "created": {"timestamp": row[7], "userRecordName": "_bench"},
        "modified": {"timestamp": row[8], "userRecordName": "_bench"},
    }


def value(fields, key):
    return fields[key]["value"]


async def save(connection, operations):
    """Saves records, with the next numbers of the zone's changes, in one transaction."""
    now = int(time.time() * 1000)
    records = [operation["record"] for operation in operations]
    async with connection.transaction():
        last = await connection.fetchval(
            "UPDATE zone SET change = change + $1 RETURNING change", len(records))
        rows = []
        for number, each in enumerate(records):
            fields = each["fields"]
            rows.append((
                each["recordName"], value(fields, "title"), value(fields, "number"), value(fields, "price"),
                value(fields, "due"), value(fields, "note"), secrets.token_hex(8), now, now,
                last - len(records) + number + 1))
        saved = await connection.fetch(
            f"INSERT INTO items AS old ({FIELDS}) "
            "SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[], $5::bigint[], $6::text[], "
            "$7::text[], $8::bigint[], $9::bigint[], $10::bigint[]) "
            "ON CONFLICT (name) DO UPDATE SET title = excluded.title, number = excluded.number, "
            "price = excluded.price, due = excluded.due, note = excluded.note, tag = excluded.tag, "
            f"modified = excluded.modified, change = excluded.change RETURNING {FIELDS}",
            *map(list, zip(*rows)))
    return {"records": [record(row) for row in saved]}


async def answer(path, body):
    async with pool.acquire() as connection:
        # The holder of the token.
        if not await connection.fetchval("SELECT enabled FROM token WHERE name = 'bench'"):
            return {"serverErrorCode": "AUTHENTICATION_FAILED"}
        if path.endswith("/records/lookup"):
            names = [each["recordName"] for each in body["records"]]
            rows = await connection.fetch(f"SELECT {FIELDS} FROM items WHERE name = ANY($1)", names)
            return {"records": [record(row) for row in rows]}
        if path.endswith("/records/query"):
            rows = await connection.fetch(
                f"SELECT {FIELDS} FROM items ORDER BY position LIMIT $1", body["resultsLimit"])
            return {"records": [record(row) for row in rows]}
        if path.endswith("/records/modify"):
            return await save(connection, body["operations"])
        rows = await connection.fetch(
            f"SELECT {FIELDS} FROM items WHERE change > $1 ORDER BY change LIMIT 200",
            int(body["zones"][0].get("syncToken", "0")))
        token = str(rows[-1][9] if rows else body["zones"][0].get("syncToken", "0"))
        return {"zones": [{"syncToken": token, "moreComing": len(rows) == 200, "records": [record(r) for r in rows]}]}


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    text = json.dumps(await answer(scope["path"], json.loads(body)), separators=(",", ":")).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [
        (b"content-type", b"application/json"), (b"content-length", str(len(text)).encode())]})
    await send({"type": "http.response.body", "body": text})


async def main(dsn):
    global pool
    pool = await asyncpg.create_pool(dsn, min_size=8, max_size=8)
    await pool.execute("""
        DROP SCHEMA IF EXISTS twin CASCADE;
        CREATE SCHEMA twin;
        CREATE TABLE twin.items (
            name text PRIMARY KEY, title text, number bigint, price float8, due bigint, note text, tag text,
            created bigint, modified bigint, change bigint, position bigserial UNIQUE);
        CREATE INDEX ON twin.items (change);
        CREATE TABLE twin.zone (change bigint);
        INSERT INTO twin.zone VALUES (0);
        CREATE TABLE twin.token (name text PRIMARY KEY, enabled boolean);
        INSERT INTO twin.token VALUES ('bench', true);""")
    await pool.close()
    pool = await asyncpg.create_pool(dsn, min_size=8, max_size=8, server_settings={"search_path": "twin"})
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    config = uvicorn.Config(app, log_level="warning", access_log=False, loop="uvloop", http="httptools", lifespan="off")
    print(f"Listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    await uvicorn.Server(config).serve([listener])


if __name__ == "__main__":
    import uvloop

    uvloop.install()
    asyncio.run(main(sys.argv[1]))
