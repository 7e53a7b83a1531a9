// The same work in plain C on PostgreSQL: libpq in pipeline mode, with prepared statements and binary results.
//
// The tables are those of the baseline on SQLite. Functions that return an int return 0 on success.

#ifndef POSTGRES_BASELINE_H
#define POSTGRES_BASELINE_H

#include "baseline.h"

typedef struct postgres_baseline postgres_baseline;

/// Connects, and creates the tables if there are none; `NULL` on failure.
postgres_baseline *postgres_open(const char *connection);
void postgres_close(postgres_baseline *store);

/// The message of the last failure.
const char *postgres_failure(const postgres_baseline *store);

/// Inserts in one transaction, and one round trip, for each batch. A batch of one item is a plain `INSERT` without a change.
int postgres_insert_lists(postgres_baseline *store, const baseline_item *lists, int count);
int postgres_insert_items(postgres_baseline *store, const baseline_item *items, int count, int batch);

/// Fetches items by ID, a given number per round trip.
int postgres_fetch(postgres_baseline *store, const char *const *ids, int count, int each, baseline_tally *tally);

/// The items of a list in the order of their names.
int postgres_list(postgres_baseline *store, const char *list, int limit, baseline_tally *tally);

/// All items.
int postgres_iterate(postgres_baseline *store, baseline_tally *tally);

/// Reads the tags of items, 32 bytes for each.
int postgres_tags(postgres_baseline *store, const char *const *ids, int count, char *tags);

/// Sets the numbers of items to this one and its successors, if their tags are still these.
int postgres_update(
    postgres_baseline *store, const char *const *ids, char *tags, int count, int batch, int64_t number);

#endif
