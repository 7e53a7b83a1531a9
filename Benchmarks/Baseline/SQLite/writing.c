#include "store.h"

#include <stdio.h>

static int note(baseline *store, const char *type, const char *id, int op) {
    sqlite3_stmt *statement = store->statements[INSERT_CHANGE];
    baseline_bind_text(statement, 1, type);
    baseline_bind_text(statement, 2, id);
    sqlite3_bind_int(statement, 3, op);
    return baseline_run(statement);
}

/// The columns after those of the type: two dates, a tag and a creator.
static void bind_system(baseline *store, sqlite3_stmt *statement, int index, char *tag, size_t size) {
    snprintf(tag, size, "%llx", (unsigned long long)++store->tag);
    sqlite3_bind_double(statement, index, 790000000.25);
    sqlite3_bind_double(statement, index + 1, 790000000.25);
    baseline_bind_text(statement, index + 2, tag);
    baseline_bind_text(statement, index + 3, "_default_user");
}

static int insert_list(baseline *store, const baseline_item *list) {
    char tag[24];
    sqlite3_stmt *statement = store->statements[INSERT_LIST];
    baseline_bind_text(statement, 1, list->id);
    baseline_bind_text(statement, 2, list->name);
    bind_system(store, statement, 3, tag, sizeof tag);
    return baseline_run(statement) || note(store, "Lists", list->id, 0);
}

static int insert_item(baseline *store, const baseline_item *item) {
    char tag[24];
    sqlite3_stmt *statement = store->statements[INSERT_ITEM];
    baseline_bind_text(statement, 1, item->id);
    baseline_bind_text(statement, 2, item->name);
    sqlite3_bind_int64(statement, 3, item->number);
    baseline_bind_text(statement, 4, item->list);
    bind_system(store, statement, 5, tag, sizeof tag);
    return baseline_run(statement) || note(store, "Items", item->id, 0);
}

static int insert_note(baseline *store, const baseline_item *item) {
    char tag[24];
    sqlite3_stmt *statement = store->statements[INSERT_NOTE];
    baseline_bind_text(statement, 1, item->id);
    baseline_bind_text(statement, 2, item->name);
    bind_system(store, statement, 3, tag, sizeof tag);
    if (baseline_run(statement)) return 1;
    sqlite3_stmt *words = store->statements[INSERT_WORDS];
    sqlite3_bind_int64(words, 1, sqlite3_last_insert_rowid(store->handle));
    baseline_bind_text(words, 2, item->name);
    return baseline_run(words) || note(store, "Notes", item->id, 0);
}

static int insert(
    baseline *store, const baseline_item *items, int count, int batch, int (*one)(baseline *, const baseline_item *)) {
    int failed = 0;
    for (int start = 0; start < count && !failed; start += batch) {
        failed = baseline_run(store->statements[BEGIN]);
        for (int i = start; i < count && i < start + batch && !failed; i++) failed = one(store, &items[i]);
        failed = baseline_run(store->statements[COMMIT]) || failed;
    }
    return failed;
}

int baseline_insert_lists(baseline *store, const baseline_item *lists, int count) {
    return insert(store, lists, count, 400, insert_list);
}

int baseline_insert_items(baseline *store, const baseline_item *items, int count, int batch) {
    return insert(store, items, count, batch, insert_item);
}

int baseline_insert_notes(baseline *store, const baseline_item *notes, int count, int batch) {
    return insert(store, notes, count, batch, insert_note);
}

static int update(baseline *store, const char *id, int64_t number, int is_checked) {
    char tag[24], old[24];
    sqlite3_stmt *select = store->statements[TAG];
    sqlite3_stmt *statement = store->statements[is_checked ? UPDATE : UPDATE_FIELDS];
    if (is_checked) {
        baseline_bind_text(select, 1, id);
        int is_there = sqlite3_step(select) == SQLITE_ROW;
        if (is_there) snprintf(old, sizeof old, "%s", (const char *)sqlite3_column_text(select, 0));
        sqlite3_reset(select);
        if (!is_there) return 1;
        baseline_bind_text(statement, 5, old);
    }
    snprintf(tag, sizeof tag, "%llx", (unsigned long long)++store->tag);
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_double(statement, 2, 790000001.25);
    baseline_bind_text(statement, 3, tag);
    baseline_bind_text(statement, 4, id);
    return baseline_run(statement) || sqlite3_changes(store->handle) != 1 || note(store, "Items", id, 1);
}

static int update_all(
    baseline *store, const char *const *ids, int count, int batch, int64_t number, int is_checked) {
    int failed = 0;
    for (int start = 0; start < count && !failed; start += batch) {
        failed = baseline_run(store->statements[BEGIN]);
        for (int i = start; i < count && i < start + batch && !failed; i++)
            failed = update(store, ids[i], number + i, is_checked);
        failed = baseline_run(store->statements[COMMIT]) || failed;
    }
    return failed;
}

int baseline_update(baseline *store, const char *const *ids, int count, int batch, int64_t number) {
    return update_all(store, ids, count, batch, number, 1);
}

int baseline_update_fields(baseline *store, const char *const *ids, int count, int batch, int64_t number) {
    return update_all(store, ids, count, batch, number, 0);
}

int baseline_change_pairs(baseline *store, const char *const *ids, int count, int64_t number, baseline_tally *tally) {
    int failed = 0;
    for (int i = 0; i + 1 < count && !failed; i += 2) {
        failed = baseline_run(store->statements[BEGIN]) || baseline_fetch(store, ids + i, 2, tally)
            || update(store, ids[i], number + i, 1) || update(store, ids[i + 1], number + i + 1, 1);
        failed = baseline_run(store->statements[COMMIT]) || failed;
    }
    return failed;
}

int baseline_delete_list(baseline *store, const char *list) {
    if (baseline_run(store->statements[BEGIN])) return -1;
    baseline_bind_text(store->statements[LOG_ITEMS], 1, list);
    baseline_bind_text(store->statements[DELETE_ITEMS], 1, list);
    int failed = baseline_run(store->statements[LOG_ITEMS]) || baseline_run(store->statements[DELETE_ITEMS]);
    int count = sqlite3_changes(store->handle);
    baseline_bind_text(store->statements[DELETE_LIST], 1, list);
    failed = failed || baseline_run(store->statements[DELETE_LIST]) || note(store, "Lists", list, 2);
    return baseline_run(store->statements[COMMIT]) || failed ? -1 : count;
}
