// The declarations that the files of the baseline on PostgreSQL share.

#ifndef POSTGRES_STORE_H
#define POSTGRES_STORE_H

#include "postgres_baseline.h"

#include <libpq-fe.h>

struct postgres_baseline {
    PGconn *connection;
    int64_t tag;
    char failure[512];
};

/// Stores the reason of a failure, and returns 1.
int postgres_fail(postgres_baseline *store, const char *reason);

/// Sends a prepared statement, which runs before those that are sent later.
int postgres_send(postgres_baseline *store, const char *statement, int count, const char *const *values);

/// Receives the results of everything that was sent.
///
/// - Parameter tally: Counts the rows of the results; it may be NULL.
/// - Parameter changed: Counts the changed rows; it may be NULL.
int postgres_receive(postgres_baseline *store, baseline_tally *tally, int64_t *changed);

#endif
