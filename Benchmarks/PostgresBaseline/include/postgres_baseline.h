// The same work in plain C: prepared statements on PostgreSQL, through libpq in pipeline mode, values in binary format.
//
// Lists(id, name, …), Items(id, name, number, list, …) with indexes on list and name, and changes(seq, type, id, op), a row for
// each write, because a store that can tell what has changed needs it.

#ifndef POSTGRES_BASELINE_H
#define POSTGRES_BASELINE_H

#include <stdint.h>

typedef struct postgres_baseline postgres_baseline;

/// An item, as it is bound.
typedef struct {
    const char *id;
    const char *name;
    int64_t number;
    const char *list;
} postgres_item;

/// The longest change tag, with its end.
enum { POSTGRES_TAG = 24 };

/// Connects, and makes the tables. Returns nothing if that fails.
postgres_baseline *postgres_open(const char *connection);
void postgres_close(postgres_baseline *store);

/// What went wrong first.
const char *postgres_error(postgres_baseline *store);

/// Runs a statement that is no part of the work. Returns 0 if all went well, like all that follow unless they say otherwise.
int postgres_run(postgres_baseline *store, const char *statement);

/// Inserts lists in one transaction.
int postgres_insert_lists(postgres_baseline *store, const char *const *ids, const char *const *names, int count);

/// Inserts items in one transaction, which takes one round trip.
int postgres_insert_items(postgres_baseline *store, const postgres_item *items, int count);

/// Gets records by ID, each by a round trip of its own. Returns how many there are, or -1, like all that read.
int postgres_fetch(postgres_baseline *store, const char *const *ids, int count, int64_t *digest);

/// Gets records by ID, all in one statement.
int postgres_fetch_all(postgres_baseline *store, const char *const *ids, int count, int64_t *digest);

/// The items of a list in the order of their names, a hundred at most.
int postgres_list(postgres_baseline *store, const char *list, int64_t *digest);

/// Reads the change tags of items, each into a place of POSTGRES_TAG bytes.
int postgres_tags(postgres_baseline *store, const char *const *ids, int count, char *tags);

/// Sets the numbers of items in one transaction, if nobody has changed them since; the tags become the new ones.
int postgres_update(postgres_baseline *store, const char *const *ids, char *tags, int count, int64_t number);

/// Deletes a list and its items. Returns how many items went.
int postgres_delete_list(postgres_baseline *store, const char *list);

/// What changed after a number: the records of those that are there.
int postgres_changes(postgres_baseline *store, int64_t after, int limit, int64_t *digest);

/// The number of the last change.
int64_t postgres_last_change(postgres_baseline *store);

#endif
