#include "baseline.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BEGIN, COMMIT, INSERT_LIST, INSERT_ITEM, INSERT_CHANGE, FETCH, LIST, PREFIX, SCAN, ITERATE, TAG, UPDATE, LIST_IDS,
    DELETE_ITEM, DELETE_LIST, CHANGES, LAST_CHANGE, STATEMENTS
};

#define COLUMNS "id, name, number, list, createdAt, modifiedAt, changeTag, creator"

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [INSERT_LIST] = "INSERT INTO Lists VALUES (?, ?, ?, ?, ?, ?)",
    [INSERT_ITEM] = "INSERT INTO Items VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_CHANGE] = "INSERT INTO changes (type, id, op) VALUES (?, ?, ?)",
    [FETCH] = "SELECT " COLUMNS " FROM Items WHERE id = ?",
    [LIST] = "SELECT " COLUMNS " FROM Items WHERE list = ? ORDER BY name, id LIMIT ?",
    [PREFIX] = "SELECT " COLUMNS " FROM Items WHERE name >= ? AND name < ? AND number > ? ORDER BY name, id LIMIT ?",
    [SCAN] = "SELECT " COLUMNS " FROM Items WHERE number = ?",
    [ITERATE] = "SELECT " COLUMNS " FROM Items ORDER BY id",
    [TAG] = "SELECT changeTag FROM Items WHERE id = ?",
    [UPDATE] = "UPDATE Items SET number = ?, modifiedAt = ?, changeTag = ? WHERE id = ? AND changeTag = ?",
    [LIST_IDS] = "SELECT id FROM Items WHERE list = ?",
    [DELETE_ITEM] = "DELETE FROM Items WHERE id = ?",
    [DELETE_LIST] = "DELETE FROM Lists WHERE id = ?",
    [CHANGES] =
        "SELECT seq, changes.id, op, name, number, list, createdAt, modifiedAt, changeTag, creator "
        "FROM changes LEFT JOIN Items ON Items.id = changes.id WHERE seq > ? ORDER BY seq LIMIT ?",
    [LAST_CHANGE] = "SELECT max(seq) FROM changes",
};

static const char schema[] =
    "CREATE TABLE Lists(id TEXT PRIMARY KEY, name TEXT, createdAt REAL, modifiedAt REAL, changeTag TEXT, creator TEXT);"
    "CREATE TABLE Items(id TEXT PRIMARY KEY, name TEXT, number INTEGER, list TEXT, createdAt REAL, modifiedAt REAL,"
    " changeTag TEXT, creator TEXT);"
    "CREATE INDEX Items_list ON Items(list);"
    "CREATE INDEX Items_name ON Items(name);"
    "CREATE TABLE changes(seq INTEGER PRIMARY KEY, type TEXT, id TEXT, op INTEGER);";

struct baseline {
    sqlite3 *handle;
    sqlite3_stmt *statements[STATEMENTS];
    int64_t tag;
};

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
    if (sqlite3_open(path, &store->handle) || sqlite3_exec(store->handle, pragmas, 0, 0, 0)
        || sqlite3_exec(store->handle, schema, 0, 0, 0)) goto failed;
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->handle, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i], 0)) goto failed;
    return store;
failed:
    baseline_close(store);
    return NULL;
}

static int run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : code;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text) {
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static int note(baseline *store, const char *type, const char *id, int op) {
    sqlite3_stmt *statement = store->statements[INSERT_CHANGE];
    bind_text(statement, 1, type);
    bind_text(statement, 2, id);
    sqlite3_bind_int(statement, 3, op);
    return run(statement);
}

/// The columns after the ones of the type: two dates, a tag and a creator.
static void bind_system(baseline *store, sqlite3_stmt *statement, int index, char *tag, size_t size) {
    snprintf(tag, size, "%llx", (unsigned long long)++store->tag);
    sqlite3_bind_double(statement, index, 790000000.25);
    sqlite3_bind_double(statement, index + 1, 790000000.25);
    bind_text(statement, index + 2, tag);
    bind_text(statement, index + 3, "_default_user");
}

int baseline_insert_lists(baseline *store, const char *const *ids, const char *const *names, int count) {
    char tag[24];
    int failed = run(store->statements[BEGIN]);
    sqlite3_stmt *statement = store->statements[INSERT_LIST];
    for (int i = 0; i < count && !failed; i++) {
        bind_text(statement, 1, ids[i]);
        bind_text(statement, 2, names[i]);
        bind_system(store, statement, 3, tag, sizeof tag);
        failed = run(statement) || note(store, "Lists", ids[i], 0);
    }
    return run(store->statements[COMMIT]) || failed;
}

int baseline_insert_items(baseline *store, const baseline_item *items, int count, int batch) {
    char tag[24];
    int failed = 0;
    sqlite3_stmt *statement = store->statements[INSERT_ITEM];
    for (int start = 0; start < count && !failed; start += batch) {
        failed = run(store->statements[BEGIN]);
        for (int i = start; i < count && i < start + batch && !failed; i++) {
            bind_text(statement, 1, items[i].id);
            bind_text(statement, 2, items[i].name);
            sqlite3_bind_int64(statement, 3, items[i].number);
            bind_text(statement, 4, items[i].list);
            bind_system(store, statement, 5, tag, sizeof tag);
            failed = run(statement) || note(store, "Items", items[i].id, 0);
        }
        failed = run(store->statements[COMMIT]) || failed;
    }
    return failed;
}

/// Copies a row's columns as a program would that makes a record of them, and adds up what there is.
static int64_t read_row(sqlite3_stmt *statement, int first) {
    int64_t digest = 0;
    char text[256];
    for (int i = first; i < sqlite3_column_count(statement); i++) {
        switch (sqlite3_column_type(statement, i)) {
        case SQLITE_TEXT: {
            const unsigned char *bytes = sqlite3_column_text(statement, i);
            size_t size = (size_t)sqlite3_column_bytes(statement, i);
            memcpy(text, bytes, size < sizeof text ? size : sizeof text);
            digest += (int64_t)size + text[0];
            break;
        }
        case SQLITE_INTEGER: digest += sqlite3_column_int64(statement, i); break;
        case SQLITE_FLOAT: digest += (int64_t)sqlite3_column_double(statement, i); break;
        }
    }
    return digest;
}

static int read_all(sqlite3_stmt *statement, int64_t *digest) {
    int count = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        *digest += read_row(statement, 0);
        count++;
    }
    sqlite3_reset(statement);
    return count;
}

int64_t baseline_fetch(baseline *store, const char *const *ids, int count) {
    int64_t digest = 0;
    sqlite3_stmt *statement = store->statements[FETCH];
    for (int i = 0; i < count; i++) {
        bind_text(statement, 1, ids[i]);
        if (sqlite3_step(statement) == SQLITE_ROW) digest += read_row(statement, 0);
        sqlite3_reset(statement);
    }
    return digest;
}

int baseline_list(baseline *store, const char *list, int limit, int64_t *digest) {
    sqlite3_stmt *statement = store->statements[LIST];
    bind_text(statement, 1, list);
    sqlite3_bind_int(statement, 2, limit);
    return read_all(statement, digest);
}

int baseline_prefix(baseline *store, const char *lower, const char *upper, int64_t number, int limit, int64_t *digest) {
    sqlite3_stmt *statement = store->statements[PREFIX];
    bind_text(statement, 1, lower);
    bind_text(statement, 2, upper);
    sqlite3_bind_int64(statement, 3, number);
    sqlite3_bind_int(statement, 4, limit);
    return read_all(statement, digest);
}

int baseline_scan(baseline *store, int64_t number, int64_t *digest) {
    sqlite3_stmt *statement = store->statements[SCAN];
    sqlite3_bind_int64(statement, 1, number);
    return read_all(statement, digest);
}

int baseline_iterate(baseline *store, int64_t *digest) { return read_all(store->statements[ITERATE], digest); }

int baseline_update(baseline *store, const char *const *ids, int count, int batch, int64_t number) {
    char tag[24], old[24];
    int failed = 0;
    sqlite3_stmt *select = store->statements[TAG], *update = store->statements[UPDATE];
    for (int start = 0; start < count && !failed; start += batch) {
        failed = run(store->statements[BEGIN]);
        for (int i = start; i < count && i < start + batch && !failed; i++) {
            bind_text(select, 1, ids[i]);
            failed = sqlite3_step(select) != SQLITE_ROW;
            if (!failed) snprintf(old, sizeof old, "%s", (const char *)sqlite3_column_text(select, 0));
            sqlite3_reset(select);
            if (failed) break;
            snprintf(tag, sizeof tag, "%llx", (unsigned long long)++store->tag);
            sqlite3_bind_int64(update, 1, number + i);
            sqlite3_bind_double(update, 2, 790000001.25);
            bind_text(update, 3, tag);
            bind_text(update, 4, ids[i]);
            bind_text(update, 5, old);
            failed = run(update) || sqlite3_changes(store->handle) != 1 || note(store, "Items", ids[i], 1);
        }
        failed = run(store->statements[COMMIT]) || failed;
    }
    return failed;
}

int baseline_delete_list(baseline *store, const char *list) {
    if (run(store->statements[BEGIN])) return -1;
    sqlite3_stmt *select = store->statements[LIST_IDS];
    int count = 0, capacity = 128, failed = 0;
    char (*ids)[40] = malloc(capacity * sizeof *ids);
    bind_text(select, 1, list);
    while (ids && sqlite3_step(select) == SQLITE_ROW) {
        if (count == capacity) ids = realloc(ids, (capacity *= 2) * sizeof *ids);
        if (ids) snprintf(ids[count++], sizeof *ids, "%s", (const char *)sqlite3_column_text(select, 0));
    }
    sqlite3_reset(select);
    for (int i = 0; ids && i < count && !failed; i++) {
        bind_text(store->statements[DELETE_ITEM], 1, ids[i]);
        failed = run(store->statements[DELETE_ITEM]) || note(store, "Items", ids[i], 2);
    }
    free(ids);
    bind_text(store->statements[DELETE_LIST], 1, list);
    failed = run(store->statements[DELETE_LIST]) || note(store, "Lists", list, 2) || failed;
    return run(store->statements[COMMIT]) || failed ? -1 : count;
}

int baseline_changes(baseline *store, int64_t after, int limit, int64_t *digest) {
    sqlite3_stmt *statement = store->statements[CHANGES];
    sqlite3_bind_int64(statement, 1, after);
    sqlite3_bind_int(statement, 2, limit);
    return read_all(statement, digest);
}

int64_t baseline_last_change(baseline *store) {
    sqlite3_stmt *statement = store->statements[LAST_CHANGE];
    int64_t last = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return last;
}
