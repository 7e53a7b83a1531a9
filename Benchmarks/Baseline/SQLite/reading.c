#include "store.h"

#include <stdio.h>
#include <string.h>

/// Copies a row's columns, as a program does that creates a record from them.
static void read_row(sqlite3_stmt *statement, baseline_tally *tally) {
    char text[256];
    // A sink for the copies, so that the compiler does not remove them.
    volatile int64_t number = 0;
    volatile char letter = 0;
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        switch (sqlite3_column_type(statement, i)) {
        case SQLITE_TEXT: {
            const unsigned char *bytes = sqlite3_column_text(statement, i);
            size_t size = (size_t)sqlite3_column_bytes(statement, i);
            memcpy(text, bytes, size < sizeof text ? size : sizeof text);
            letter = text[0];
            break;
        }
        case SQLITE_INTEGER: number = sqlite3_column_int64(statement, i); break;
        case SQLITE_FLOAT: number = (int64_t)sqlite3_column_double(statement, i); break;
        }
    }
    (void)number;
    (void)letter;
    if (tally->is_digesting)
        baseline_tally_add(
            tally, (const char *)sqlite3_column_text(statement, 0), (const char *)sqlite3_column_text(statement, 1),
            sqlite3_column_int64(statement, 2), (const char *)sqlite3_column_text(statement, 3));
    else
        tally->rows++;
}

int baseline_read(sqlite3_stmt *statement, baseline_tally *tally) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) read_row(statement, tally);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : code;
}

int baseline_fetch(baseline *store, const char *const *ids, int count, baseline_tally *tally) {
    int failed = 0;
    sqlite3_stmt *statement = store->statements[FETCH];
    for (int i = 0; i < count && !failed; i++) {
        baseline_bind_text(statement, 1, ids[i]);
        failed = baseline_read(statement, tally);
    }
    return failed;
}

int baseline_list(baseline *store, const char *list, int limit, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[LIST];
    baseline_bind_text(statement, 1, list);
    sqlite3_bind_int(statement, 2, limit);
    return baseline_read(statement, tally);
}

int baseline_list_named(baseline *store, const char *name, int limit, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[LIST_NAMED];
    baseline_bind_text(statement, 1, name);
    sqlite3_bind_int(statement, 2, limit);
    return baseline_read(statement, tally);
}

int baseline_prefix(
    baseline *store, const char *lower, const char *upper, int64_t number, int limit, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[PREFIX];
    baseline_bind_text(statement, 1, lower);
    baseline_bind_text(statement, 2, upper);
    sqlite3_bind_int64(statement, 3, number);
    sqlite3_bind_int(statement, 4, limit);
    return baseline_read(statement, tally);
}

int baseline_scan(baseline *store, int64_t number, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[SCAN];
    sqlite3_bind_int64(statement, 1, number);
    return baseline_read(statement, tally);
}

int baseline_count_below(baseline *store, int64_t number, int64_t *count) {
    sqlite3_stmt *statement = store->statements[COUNT_BELOW];
    sqlite3_bind_int64(statement, 1, number);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *count = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return code == SQLITE_ROW ? 0 : code;
}

int baseline_iterate(baseline *store, baseline_tally *tally) { return baseline_read(store->statements[ITERATE], tally); }

int baseline_page(baseline *store, const char *name, const char *id, int limit, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[PAGE];
    baseline_bind_text(statement, 1, name);
    baseline_bind_text(statement, 2, id);
    sqlite3_bind_int(statement, 3, limit);
    return baseline_read(statement, tally);
}

int baseline_place(baseline *store, int64_t offset, char *name, char *id) {
    sqlite3_stmt *statement = store->statements[PLACE];
    sqlite3_bind_int64(statement, 1, offset);
    int is_there = sqlite3_step(statement) == SQLITE_ROW;
    if (is_there) {
        snprintf(name, 64, "%s", (const char *)sqlite3_column_text(statement, 0));
        snprintf(id, 64, "%s", (const char *)sqlite3_column_text(statement, 1));
    }
    sqlite3_reset(statement);
    return is_there ? 0 : 1;
}

int baseline_search(baseline *store, const char *words, int limit, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[SEARCH];
    baseline_bind_text(statement, 1, words);
    sqlite3_bind_int(statement, 2, limit);
    return baseline_read(statement, tally);
}

int baseline_rank(baseline *store, const char *words, int limit, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[RANK];
    baseline_bind_text(statement, 1, words);
    sqlite3_bind_int(statement, 2, limit);
    return baseline_read(statement, tally);
}

int baseline_changes(baseline *store, int64_t after, baseline_tally *tally) {
    sqlite3_stmt *statement = store->statements[CHANGES];
    sqlite3_bind_int64(statement, 1, after);
    return baseline_read(statement, tally);
}

int64_t baseline_last_change(baseline *store) {
    sqlite3_stmt *statement = store->statements[LAST_CHANGE];
    int64_t last = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return last;
}
