#include "store.h"

#include <stdio.h>
#include <stdlib.h>

// A tally reads the first four.
#define COLUMNS(table) \
    table ".id, " table ".name, number, list, " table ".createdAt, " table ".modifiedAt, " table ".changeTag, " table ".creator"

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [INSERT_LIST] = "INSERT INTO Lists VALUES (?, ?, ?, ?, ?, ?)",
    [INSERT_ITEM] = "INSERT INTO Items VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_NOTE] = "INSERT INTO Notes VALUES (?, ?, ?, ?, ?, ?)",
    [INSERT_WORDS] = "INSERT INTO NoteWords (rowid, text) VALUES (?, ?)",
    [INSERT_CHANGE] = "INSERT INTO changes (type, id, op) VALUES (?, ?, ?)",
    [FETCH] = "SELECT " COLUMNS("Items") " FROM Items WHERE id = ?",
    [LIST] = "SELECT " COLUMNS("Items") " FROM Items WHERE list = ? ORDER BY name, id LIMIT ?",
    [LIST_NAMED] = "SELECT " COLUMNS("Items") " FROM Items JOIN Lists ON Lists.id = list "
        "WHERE Lists.name = ? ORDER BY Items.name, Items.id LIMIT ?",
    [PREFIX] = "SELECT " COLUMNS("Items") " FROM Items WHERE name >= ? AND name < ? AND number > ? ORDER BY name, id LIMIT ?",
    [SCAN] = "SELECT " COLUMNS("Items") " FROM Items WHERE number = ?",
    [COUNT_BELOW] = "SELECT count(*) FROM Items WHERE number < ?",
    [ITERATE] = "SELECT " COLUMNS("Items") " FROM Items ORDER BY id",
    [PAGE] = "SELECT " COLUMNS("Items") " FROM Items WHERE (name, id) > (?, ?) ORDER BY name, id LIMIT ?",
    [PLACE] = "SELECT name, id FROM Items ORDER BY name, id LIMIT 1 OFFSET ?",
    [SEARCH] = "SELECT id, text, 0, '', createdAt, modifiedAt, changeTag, creator FROM Notes "
        "WHERE rowid IN (SELECT rowid FROM NoteWords WHERE NoteWords MATCH ?) ORDER BY id LIMIT ?",
    [RANK] = "SELECT Notes.id, Notes.text, 0, '', createdAt, modifiedAt, changeTag, creator FROM NoteWords "
        "JOIN Notes ON Notes.rowid = NoteWords.rowid WHERE NoteWords MATCH ? ORDER BY rank LIMIT ?",
    [TAG] = "SELECT changeTag FROM Items WHERE id = ?",
    [UPDATE] = "UPDATE Items SET number = ?, modifiedAt = ?, changeTag = ? WHERE id = ? AND changeTag = ?",
    [UPDATE_FIELDS] = "UPDATE Items SET number = ?, modifiedAt = ?, changeTag = ? WHERE id = ?",
    [LOG_ITEMS] = "INSERT INTO changes (type, id, op) SELECT 'Items', id, 2 FROM Items WHERE list = ?",
    [DELETE_ITEMS] = "DELETE FROM Items WHERE list = ?",
    [DELETE_LIST] = "DELETE FROM Lists WHERE id = ?",
    [CHANGES] = "SELECT changes.id, name, number, list, createdAt, modifiedAt, changeTag, creator, seq, op "
        "FROM changes LEFT JOIN Items ON Items.id = changes.id WHERE seq > ? ORDER BY seq",
    [LAST_CHANGE] = "SELECT max(seq) FROM changes",
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS Lists(id TEXT PRIMARY KEY, name TEXT, createdAt REAL, modifiedAt REAL, changeTag TEXT,"
    " creator TEXT);"
    "CREATE TABLE IF NOT EXISTS Items(id TEXT PRIMARY KEY, name TEXT, number INTEGER, list TEXT, createdAt REAL,"
    " modifiedAt REAL, changeTag TEXT, creator TEXT);"
    "CREATE TABLE IF NOT EXISTS Notes(id TEXT PRIMARY KEY, text TEXT, createdAt REAL, modifiedAt REAL, changeTag TEXT,"
    " creator TEXT);"
    "CREATE VIRTUAL TABLE IF NOT EXISTS NoteWords USING fts5(text, content='Notes');"
    "CREATE INDEX IF NOT EXISTS Lists_name ON Lists(name);"
    "CREATE INDEX IF NOT EXISTS Items_list ON Items(list);"
    "CREATE INDEX IF NOT EXISTS Items_name ON Items(name);"
    "CREATE TABLE IF NOT EXISTS changes(seq INTEGER PRIMARY KEY, type TEXT, id TEXT, op INTEGER);";

void baseline_close(baseline *store) {
    if (!store) return;
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->handle);
    free(store);
}

baseline *baseline_open(const char *path, int tuned, int full) {
    baseline *store = calloc(1, sizeof *store);
    if (!store) return NULL;
    char pragmas[200];
    snprintf(pragmas, sizeof pragmas, "PRAGMA journal_mode = WAL; PRAGMA synchronous = %s;%s", full ? "FULL" : "NORMAL",
             tuned ? "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 10000;" : "");
    if (sqlite3_open(path, &store->handle) || sqlite3_busy_timeout(store->handle, 30000)
        || sqlite3_exec(store->handle, pragmas, 0, 0, 0) || sqlite3_exec(store->handle, schema, 0, 0, 0)) goto failed;
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->handle, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i], 0)) goto failed;
    // Tags continue after the last one of this connection.
    store->tag = baseline_last_change(store);
    return store;
failed:
    fprintf(stderr, "baseline: %s: %s\n", path, store->handle ? sqlite3_errmsg(store->handle) : "out of memory");
    baseline_close(store);
    return NULL;
}

const char *baseline_version(void) { return sqlite3_libversion(); }

const char *baseline_failure(const baseline *store) { return sqlite3_errmsg(store->handle); }

int baseline_checkpoint(const char *path) {
    sqlite3 *handle = NULL;
    int code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, NULL);
    if (!code) code = sqlite3_exec(handle, "PRAGMA wal_checkpoint(RESTART)", 0, 0, 0);
    sqlite3_close(handle);
    return code;
}

int baseline_run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : code;
}

void baseline_bind_text(sqlite3_stmt *statement, int index, const char *text) {
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}
