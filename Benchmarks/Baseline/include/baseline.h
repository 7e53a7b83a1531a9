// The same work in plain C: prepared statements on SQLite, on the schema that a program without a library would make.
//
// Lists(id, name, …), Items(id, name, number, list, …) with indexes on list and name, and changes(seq, type, id, op), a row for
// each write, because a store that can tell what has changed needs it.

#ifndef BASELINE_H
#define BASELINE_H

#include <stdint.h>

typedef struct baseline baseline;

/// An item, as it is bound.
typedef struct {
    const char *id;
    const char *name;
    int64_t number;
    const char *list;
} baseline_item;

/// Opens a new file. Tuned: 64 MiB of cache, a checkpoint after 10,000 pages. Full: every commit waits for the disk.
baseline *baseline_open(const char *path, int tuned, int full);
void baseline_close(baseline *store);

/// Inserts lists. Returns 0 if all went well, like all that follow.
int baseline_insert_lists(baseline *store, const char *const *ids, const char *const *names, int count);

/// Inserts items in one transaction for each batch.
int baseline_insert_items(baseline *store, const baseline_item *items, int count, int batch);

/// Gets records by ID, each by a call of its own, and reads all columns. Returns how many bytes and numbers were read.
int64_t baseline_fetch(baseline *store, const char *const *ids, int count);

/// The items of a list in the order of their names. Returns how many there are.
int baseline_list(baseline *store, const char *list, int limit, int64_t *digest);

/// The items whose names begin so and whose numbers are greater, in the order of names. Returns how many there are.
int baseline_prefix(baseline *store, const char *lower, const char *upper, int64_t number, int limit, int64_t *digest);

/// The items with a number, without an index. Returns how many there are.
int baseline_scan(baseline *store, int64_t number, int64_t *digest);

/// All items in the order of their IDs. Returns how many there are.
int baseline_iterate(baseline *store, int64_t *digest);

/// Sets the numbers of items in one transaction for each batch, if nobody has changed them since.
int baseline_update(baseline *store, const char *const *ids, int count, int batch, int64_t number);

/// Deletes a list and its items. Returns how many items went.
int baseline_delete_list(baseline *store, const char *list);

/// What changed after a number: the records of those that are there. Returns how many changes there are.
int baseline_changes(baseline *store, int64_t after, int limit, int64_t *digest);

/// The number of the last change.
int64_t baseline_last_change(baseline *store);

#endif
