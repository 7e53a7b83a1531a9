// The declarations that the files of the baseline on SQLite share.

#ifndef STORE_H
#define STORE_H

#include "baseline.h"

#include <sqlite3.h>
#include <stddef.h>

enum {
    BEGIN, COMMIT, INSERT_LIST, INSERT_ITEM, INSERT_NOTE, INSERT_WORDS, INSERT_CHANGE, FETCH, LIST, LIST_NAMED, PREFIX, SCAN,
    COUNT_BELOW, ITERATE, PAGE, PLACE, SEARCH, RANK, TAG, UPDATE, UPDATE_FIELDS, LOG_ITEMS, DELETE_ITEMS, DELETE_LIST, CHANGES, LAST_CHANGE,
    STATEMENTS
};

struct baseline {
    sqlite3 *handle;
    sqlite3_stmt *statements[STATEMENTS];
    int64_t tag;
};

/// Runs a statement without rows, and resets it.
int baseline_run(sqlite3_stmt *statement);

void baseline_bind_text(sqlite3_stmt *statement, int index, const char *text);

/// Reads all rows of a statement into a tally, and resets the statement.
int baseline_read(sqlite3_stmt *statement, baseline_tally *tally);

#endif
