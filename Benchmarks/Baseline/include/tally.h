// What was read: how many rows, and a digest of what was in them, by which answers are compared.

#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>

typedef struct {
    /// Whether the contents are looked at, which takes time; else rows are only counted.
    int32_t is_digesting;
    int64_t rows;
    /// The same whatever the order of the rows.
    uint64_t sum;
    /// Another one for each order of the rows.
    uint64_t chain;
} baseline_tally;

/// Counts a row, and takes in what is in it.
void baseline_tally_add(baseline_tally *tally, const char *id, const char *name, int64_t number, const char *list);

#endif
