#include "postgres_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char date[] = "790000000.25";

static int begin(postgres_baseline *store) { return postgres_send(store, "begin", 0, NULL); }

static int commit(postgres_baseline *store, int64_t *changed) {
    return postgres_send(store, "commit", 0, NULL) || postgres_receive(store, NULL, changed);
}

static int note(postgres_baseline *store, const char *type, const char *id, const char *op) {
    return postgres_send(store, "insert_change", 3, (const char *const[]){type, id, op});
}

static const char *next_tag(postgres_baseline *store, char *tag, size_t size) {
    snprintf(tag, size, "%llx", (unsigned long long)++store->tag);
    return tag;
}

int postgres_insert_lists(postgres_baseline *store, const baseline_item *lists, int count) {
    char tag[24];
    int failed = 0;
    for (int start = 0; start < count && !failed; start += 400) {
        failed = begin(store);
        for (int i = start; i < count && i < start + 400 && !failed; i++) {
            const char *values[] = {
                lists[i].id, lists[i].name, date, date, next_tag(store, tag, sizeof tag), "_default_user"};
            failed = postgres_send(store, "insert_list", 6, values) || note(store, "Lists", lists[i].id, "0");
        }
        failed = commit(store, NULL) || failed;
    }
    return failed;
}

int postgres_insert_items(postgres_baseline *store, const baseline_item *items, int count, int batch) {
    char tag[24], number[24];
    int failed = 0;
    for (int start = 0; start < count && !failed; start += batch) {
        if (batch > 1) failed = begin(store);
        for (int i = start; i < count && i < start + batch && !failed; i++) {
            snprintf(number, sizeof number, "%lld", (long long)items[i].number);
            const char *values[] = {
                items[i].id, items[i].name, number, items[i].list, date, date, next_tag(store, tag, sizeof tag),
                "_default_user"};
            failed = postgres_send(store, "insert_item", 8, values);
            if (batch > 1) failed = failed || note(store, "Items", items[i].id, "0");
        }
        failed = (batch > 1 ? commit(store, NULL) : postgres_receive(store, NULL, NULL)) || failed;
    }
    return failed;
}

int postgres_fetch(postgres_baseline *store, const char *const *ids, int count, int each, baseline_tally *tally) {
    if (each == 1) {
        for (int i = 0; i < count; i++)
            if (postgres_send(store, "fetch", 1, &ids[i]) || postgres_receive(store, tally, NULL)) return 1;
        return 0;
    }
    // An array as text; the IDs need no quotation marks.
    char *array = malloc((size_t)each * 64 + 3);
    int failed = array == NULL;
    for (int start = 0; start < count && !failed; start += each) {
        char *end = array;
        *end++ = '{';
        for (int i = start; i < count && i < start + each; i++)
            end += sprintf(end, i == start ? "%.60s" : ",%.60s", ids[i]);
        strcpy(end, "}");
        failed = postgres_send(store, "fetch_all", 1, (const char *const[]){array}) || postgres_receive(store, tally, NULL);
    }
    free(array);
    return failed;
}

int postgres_list(postgres_baseline *store, const char *list, int limit, baseline_tally *tally) {
    char text[24];
    snprintf(text, sizeof text, "%d", limit);
    return postgres_send(store, "list", 2, (const char *const[]){list, text}) || postgres_receive(store, tally, NULL);
}

int postgres_iterate(postgres_baseline *store, baseline_tally *tally) {
    return postgres_send(store, "iterate", 0, NULL) || postgres_receive(store, tally, NULL);
}

int postgres_tags(postgres_baseline *store, const char *const *ids, int count, char *tags) {
    // This is not measured: without the pipeline it is simpler.
    if (!PQexitPipelineMode(store->connection)) return postgres_fail(store, PQerrorMessage(store->connection));
    int failed = 0;
    for (int i = 0; i < count && !failed; i++) {
        PGresult *result = PQexecPrepared(store->connection, "tag", 1, &ids[i], NULL, NULL, 0);
        failed = PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1;
        if (!failed) snprintf(tags + (size_t)i * 32, 32, "%s", PQgetvalue(result, 0, 0));
        PQclear(result);
    }
    if (failed) postgres_fail(store, "An item is missing.");
    return !PQenterPipelineMode(store->connection) || failed;
}

int postgres_update(
    postgres_baseline *store, const char *const *ids, char *tags, int count, int batch, int64_t number) {
    char tag[32], text[24];
    int64_t changed = 0;
    int failed = 0;
    for (int start = 0; start < count && !failed; start += batch) {
        failed = begin(store);
        for (int i = start; i < count && i < start + batch && !failed; i++) {
            char *old = tags + (size_t)i * 32;
            snprintf(text, sizeof text, "%lld", (long long)(number + i));
            const char *values[] = {text, "790000001.25", next_tag(store, tag, sizeof tag), ids[i], old};
            failed = postgres_send(store, "update", 5, values) || note(store, "Items", ids[i], "1");
            memcpy(old, tag, sizeof tag);
        }
        failed = commit(store, &changed) || failed;
    }
    if (!failed && changed != count) return postgres_fail(store, "An item was changed by another writer.");
    return failed;
}
