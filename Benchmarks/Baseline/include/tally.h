// The read rows: their number, and a digest of their content, which compares the competitors' results.

#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>

typedef struct {
    /// Whether the content is digested, which takes time; otherwise rows are only counted.
    int32_t is_digesting;
    int64_t rows;
    /// The same for every order of the rows.
    uint64_t sum;
    /// Depends on the order of the rows.
    uint64_t chain;
} baseline_tally;

/// Counts a row, and digests its content.
void baseline_tally_add(baseline_tally *tally, const char *id, const char *name, int64_t number, const char *list);

#endif
