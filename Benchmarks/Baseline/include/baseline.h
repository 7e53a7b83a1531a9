// The same work in plain C: prepared statements on SQLite, with the schema of a program without a library.
//
// The tables are Lists(id, name, …), Items(id, name, number, list, …) with indexes on list and name, Notes(id, text, …)
// with an index of words, and changes(seq, type, id, op). The last one gets a row for each write, because a store that
// reports changes needs it.
//
// Functions that return an int return 0 on success, unless they say otherwise.

#ifndef BASELINE_H
#define BASELINE_H

#include "process_memory.h"
#include "tally.h"

typedef struct baseline baseline;

/// An item, as it is bound. A list has no number and no list; the name of a note is its text.
typedef struct {
    const char *id;
    const char *name;
    int64_t number;
    const char *list;
} baseline_item;

/// Opens a file, and creates its tables if there are none. Tuned: 64 MiB of cache, a checkpoint after 10,000 pages.
/// Full: every commit waits for the disk.
baseline *baseline_open(const char *path, int tuned, int full);
void baseline_close(baseline *store);

/// The version of SQLite.
const char *baseline_version(void);

/// Checkpoints the write-ahead log of a file, even if other connections have it open.
int baseline_checkpoint(const char *path);

/// The message of the last failure.
const char *baseline_failure(const baseline *store);

// Writing: in one transaction for each batch.

int baseline_insert_lists(baseline *store, const baseline_item *lists, int count);
int baseline_insert_items(baseline *store, const baseline_item *items, int count, int batch);
int baseline_insert_notes(baseline *store, const baseline_item *notes, int count, int batch);

/// Sets the numbers of items to this one and its successors, if the items are unchanged since their tags were read.
int baseline_update(baseline *store, const char *const *ids, int count, int batch, int64_t number);

/// The same, even if the items have changed.
int baseline_update_fields(baseline *store, const char *const *ids, int count, int batch, int64_t number);

/// Reads two items and changes their numbers, in one transaction for each pair.
int baseline_change_pairs(baseline *store, const char *const *ids, int count, int64_t number, baseline_tally *tally);

/// Deletes a list and its items. Returns the number of deleted items, or a negative number on failure.
int baseline_delete_list(baseline *store, const char *list);

// Reading: all columns of the rows, which are counted in a tally.

/// Items by ID, each by a call of its own.
int baseline_fetch(baseline *store, const char *const *ids, int count, baseline_tally *tally);

/// The items of a list in the order of their names.
int baseline_list(baseline *store, const char *list, int limit, baseline_tally *tally);

/// The items of all lists with a name, in the order of their names.
int baseline_list_named(baseline *store, const char *name, int limit, baseline_tally *tally);

/// The items with this prefix of the name and a greater number, in the order of names.
int baseline_prefix(
    baseline *store, const char *lower, const char *upper, int64_t number, int limit, baseline_tally *tally);

/// The items with a number, without an index.
int baseline_scan(baseline *store, int64_t number, baseline_tally *tally);

/// The number of items with a smaller number, without an index.
int baseline_count_below(baseline *store, int64_t number, int64_t *count);

/// All items in the order of their IDs.
int baseline_iterate(baseline *store, baseline_tally *tally);

/// The items that follow a name and an ID in the order of names.
int baseline_page(baseline *store, const char *name, const char *id, int limit, baseline_tally *tally);

/// The name and the ID of the item at this offset in the order of names; each has room for 64 bytes.
int baseline_place(baseline *store, int64_t offset, char *name, char *id);

/// The notes that contain the words, given in the syntax of FTS5, in the order of their IDs.
int baseline_search(baseline *store, const char *words, int limit, baseline_tally *tally);

/// The notes that contain the words, given in the syntax of FTS5, in the order of FTS5's rank.
int baseline_rank(baseline *store, const char *words, int limit, baseline_tally *tally);

/// The changes after a number, with the records that exist.
int baseline_changes(baseline *store, int64_t after, baseline_tally *tally);

/// The number of the last change.
int64_t baseline_last_change(baseline *store);

/// Concurrent reads and writes during a given time.
typedef struct {
    /// The store's file, which each thread opens.
    const char *path;
    int32_t tuned;
    int32_t readers;
    /// The IDs of the items, or of the lists, to read.
    const char *const *read_ids;
    int32_t read_count;
    /// Whether lists are read, up to a hundred items each.
    int32_t reads_lists;
    /// The IDs of the items to update, in batches.
    const char *const *written_ids;
    int32_t written_count;
    int32_t batch;
    double seconds;
    /// The numbers of reads, of reads without a result, and of updated items.
    int64_t reads;
    int64_t failures;
    int64_t writes;
    /// The measured time.
    double elapsed;
} baseline_contention;

int baseline_contend(baseline_contention *contention);

#endif
