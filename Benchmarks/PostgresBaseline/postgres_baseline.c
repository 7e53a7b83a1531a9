#include "postgres_baseline.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 25, INT8 = 20, FLOAT8 = 701, TEXTS = 1009 };

#define COLUMNS "id, name, number, list, \"createdAt\", \"modifiedAt\", \"changeTag\", creator"

typedef struct {
    const char *name;
    const char *text;
    int count;
    Oid types[8];
} statement;

static const statement begin = {"begin", "BEGIN", 0, {0}};
static const statement commit = {"commit", "COMMIT", 0, {0}};
static const statement insert_list = {
    "insert_list", "INSERT INTO \"Lists\" VALUES ($1, $2, $3, $4, $5, $6)", 6, {TEXT, TEXT, FLOAT8, FLOAT8, TEXT, TEXT}};
static const statement insert_item = {
    "insert_item", "INSERT INTO \"Items\" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", 8,
    {TEXT, TEXT, INT8, TEXT, FLOAT8, FLOAT8, TEXT, TEXT}};
static const statement insert_change = {
    "insert_change", "INSERT INTO changes (type, id, op) VALUES ($1, $2, $3)", 3, {TEXT, TEXT, INT8}};
static const statement fetch = {"fetch", "SELECT " COLUMNS " FROM \"Items\" WHERE id = $1", 1, {TEXT}};
static const statement fetch_all = {
    "fetch_all", "SELECT " COLUMNS " FROM \"Items\" WHERE id = ANY($1)", 1, {TEXTS}};
// A limit that PostgreSQL does not know when it plans would cost ten times as much.
static const statement list_items = {
    "list", "SELECT " COLUMNS " FROM \"Items\" WHERE list = $1 ORDER BY name, id LIMIT 100", 1, {TEXT}};
static const statement get_tag = {"tag", "SELECT \"changeTag\" FROM \"Items\" WHERE id = $1", 1, {TEXT}};
static const statement update_item = {
    "update",
    "UPDATE \"Items\" SET number = $1, \"modifiedAt\" = $2, \"changeTag\" = $3 WHERE id = $4 AND \"changeTag\" = $5", 5,
    {INT8, FLOAT8, TEXT, TEXT, TEXT}};
static const statement delete_items = {
    "delete_items",
    "WITH gone AS (DELETE FROM \"Items\" WHERE list = $1 RETURNING id) "
    "INSERT INTO changes (type, id, op) SELECT 'Items', id, 2 FROM gone", 1, {TEXT}};
static const statement delete_list = {"delete_list", "DELETE FROM \"Lists\" WHERE id = $1", 1, {TEXT}};
static const statement get_changes = {
    "changes",
    "SELECT seq, changes.id, op, name, number, list, \"createdAt\", \"modifiedAt\", \"changeTag\", creator "
    "FROM changes LEFT JOIN \"Items\" AS i ON i.id = changes.id WHERE seq > $1 ORDER BY seq LIMIT $2", 2, {INT8, INT8}};
static const statement last_change = {"last_change", "SELECT max(seq) FROM changes", 0, {0}};

static const statement *const statements[] = {
    &begin, &commit, &insert_list, &insert_item, &insert_change, &fetch, &fetch_all, &list_items, &get_tag, &update_item,
    &delete_items, &delete_list, &get_changes, &last_change,
};

static const char *const tables[] = {
    "CREATE TABLE \"Lists\" (id text PRIMARY KEY, name text, \"createdAt\" double precision,"
    " \"modifiedAt\" double precision, \"changeTag\" text, creator text)",
    "CREATE TABLE \"Items\" (id text PRIMARY KEY, name text, number bigint, list text, \"createdAt\" double precision,"
    " \"modifiedAt\" double precision, \"changeTag\" text, creator text)",
    "CREATE INDEX ON \"Items\" (list)",
    "CREATE INDEX ON \"Items\" (name)",
    "CREATE TABLE changes (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, type text, id text, op bigint)",
};

struct postgres_baseline {
    PGconn *connection;
    int64_t tag;
    char *array;
    char error[256];
};

/// The values of one statement.
typedef struct {
    const char *values[8];
    int lengths[8];
    int64_t numbers[8];
    int count;
} arguments;

/// Numbers travel with their highest byte first, on every machine.
static void store_number(void *place, uint64_t number, int size) {
    for (int i = size - 1; i >= 0; i--, number >>= 8) ((unsigned char *)place)[i] = (unsigned char)number;
}

static uint64_t load_number(const void *place, int size) {
    uint64_t number = 0;
    for (int i = 0; i < size; i++) number = number << 8 | ((const unsigned char *)place)[i];
    return number;
}

static void add_text(arguments *list, const char *text) {
    list->values[list->count] = text;
    list->lengths[list->count++] = (int)strlen(text);
}

static void add_number(arguments *list, int64_t number) {
    store_number(&list->numbers[list->count], (uint64_t)number, 8);
    list->values[list->count] = (const char *)&list->numbers[list->count];
    list->lengths[list->count++] = sizeof(int64_t);
}

static void add_double(arguments *list, double number) {
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_number(list, bits);
}

/// Notes what went wrong.
static int failed(postgres_baseline *store, const char *reason) {
    // What comes after the first failure only says that one came before.
    if (!*store->error) snprintf(store->error, sizeof store->error, "%s", reason);
    return -1;
}

const char *postgres_error(postgres_baseline *store) { return store->error; }

static int send(postgres_baseline *store, const statement *statement, const arguments *list) {
    static const int formats[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (PQsendQueryPrepared(
            store->connection, statement->name, list ? list->count : 0, list ? list->values : NULL,
            list ? list->lengths : NULL, formats, 1))
        return 0;
    return failed(store, PQerrorMessage(store->connection));
}

static int end(postgres_baseline *store) {
    return PQpipelineSync(store->connection) ? 0 : failed(store, PQerrorMessage(store->connection));
}

/// The answer to the next statement; the caller clears it. Nothing if it failed.
static PGresult *answer(postgres_baseline *store) {
    PGresult *result = PQgetResult(store->connection);
    ExecStatusType status = PQresultStatus(result);
    PGresult *next = result ? PQgetResult(store->connection) : NULL;
    PQclear(next);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return result;
    failed(store, result ? PQresultErrorMessage(result) : PQerrorMessage(store->connection));
    PQclear(result);
    return NULL;
}

/// Takes the answers to some statements, and the sign that they are over, if there is one. Returns how many rows they changed.
static int answers(postgres_baseline *store, int count, int has_end) {
    int changed = 0, is_bad = 0;
    for (int i = 0; i < count; i++) {
        PGresult *result = answer(store);
        if (!result) is_bad = 1;
        else changed += atoi(PQcmdTuples(result));
        PQclear(result);
    }
    if (has_end) PQclear(PQgetResult(store->connection));
    return is_bad ? -1 : changed;
}

void postgres_close(postgres_baseline *store) {
    if (!store) return;
    PQfinish(store->connection);
    free(store->array);
    free(store);
}

int postgres_run(postgres_baseline *store, const char *text) {
    if (!PQsendQueryParams(store->connection, text, 0, NULL, NULL, NULL, NULL, 1))
        return failed(store, PQerrorMessage(store->connection));
    return end(store) || answers(store, 1, 1) < 0;
}

postgres_baseline *postgres_open(const char *connection) {
    postgres_baseline *store = calloc(1, sizeof *store);
    if (!store) return NULL;
    store->connection = PQconnectdb(connection);
    if (PQstatus(store->connection) != CONNECTION_OK || !PQenterPipelineMode(store->connection)) goto failed;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (postgres_run(store, tables[i])) goto failed;
    int count = sizeof statements / sizeof *statements;
    for (int i = 0; i < count; i++)
        if (!PQsendPrepare(
                store->connection, statements[i]->name, statements[i]->text, statements[i]->count, statements[i]->types))
            goto failed;
    if (end(store) || answers(store, count, 1) < 0) goto failed;
    return store;
failed:
    postgres_close(store);
    return NULL;
}

static int note(postgres_baseline *store, const char *type, const char *id, int op) {
    arguments list = {.count = 0};
    add_text(&list, type);
    add_text(&list, id);
    add_number(&list, op);
    return send(store, &insert_change, &list);
}

/// The columns after the ones of the type: two dates, a tag and a creator.
static void add_system(postgres_baseline *store, arguments *list, char *tag) {
    snprintf(tag, POSTGRES_TAG, "%llx", (unsigned long long)++store->tag);
    add_double(list, 790000000.25);
    add_double(list, 790000000.25);
    add_text(list, tag);
    add_text(list, "_default_user");
}

int postgres_insert_lists(postgres_baseline *store, const char *const *ids, const char *const *names, int count) {
    char tag[POSTGRES_TAG];
    if (send(store, &begin, NULL)) return -1;
    for (int i = 0; i < count; i++) {
        arguments list = {.count = 0};
        add_text(&list, ids[i]);
        add_text(&list, names[i]);
        add_system(store, &list, tag);
        if (send(store, &insert_list, &list) || note(store, "Lists", ids[i], 0)) return -1;
    }
    if (send(store, &commit, NULL) || end(store)) return -1;
    return answers(store, 2 * count + 2, 1) == 2 * count ? 0 : -1;
}

int postgres_insert_items(postgres_baseline *store, const postgres_item *items, int count) {
    char tag[POSTGRES_TAG];
    if (send(store, &begin, NULL)) return -1;
    for (int i = 0; i < count; i++) {
        arguments list = {.count = 0};
        add_text(&list, items[i].id);
        add_text(&list, items[i].name);
        add_number(&list, items[i].number);
        add_text(&list, items[i].list);
        add_system(store, &list, tag);
        if (send(store, &insert_item, &list) || note(store, "Items", items[i].id, 0)) return -1;
    }
    if (send(store, &commit, NULL) || end(store)) return -1;
    return answers(store, 2 * count + 2, 1) == 2 * count ? 0 : -1;
}

static int64_t number_in(const PGresult *result, int row, int column) {
    return PQgetisnull(result, row, column) ? 0 : (int64_t)load_number(PQgetvalue(result, row, column), 8);
}

/// Copies the columns of all rows as a program would that makes records of them, and adds up names, numbers and lists.
static int read_rows(const PGresult *result, int name, int64_t *digest) {
    char text[256];
    int count = PQntuples(result);
    for (int row = 0; row < count; row++) {
        for (int i = 0; i < PQnfields(result); i++) {
            size_t size = (size_t)PQgetlength(result, row, i);
            memcpy(text, PQgetvalue(result, row, i), size < sizeof text ? size : sizeof text);
        }
        *digest += PQgetlength(result, row, name) + number_in(result, row, name + 1)
            + PQgetlength(result, row, name + 2);
    }
    return count;
}

/// Sends a statement, and reads its rows.
static int read_all(
    postgres_baseline *store, const statement *statement, const arguments *list, int name, int64_t *digest) {
    if (send(store, statement, list) || end(store)) return -1;
    PGresult *result = answer(store);
    int count = result ? read_rows(result, name, digest) : -1;
    PQclear(result);
    PQclear(PQgetResult(store->connection));
    return count;
}

int postgres_fetch(postgres_baseline *store, const char *const *ids, int count, int64_t *digest) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        arguments list = {.count = 0};
        add_text(&list, ids[i]);
        int rows = read_all(store, &fetch, &list, 1, digest);
        if (rows < 0) return -1;
        found += rows;
    }
    return found;
}

/// An array of texts in binary format.
static int add_array(postgres_baseline *store, arguments *list, const char *const *texts, int count) {
    size_t size = 20;
    for (int i = 0; i < count; i++) size += 4 + strlen(texts[i]);
    char *bytes = realloc(store->array, size);
    if (!bytes) return failed(store, "out of memory");
    store->array = bytes;
    const uint64_t header[5] = {1, 0, TEXT, (uint64_t)count, 1};
    for (int i = 0; i < 5; i++, bytes += 4) store_number(bytes, header[i], 4);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        store_number(bytes, length, 4);
        memcpy(bytes + 4, texts[i], length);
        bytes += 4 + length;
    }
    list->values[list->count] = store->array;
    list->lengths[list->count++] = (int)size;
    return 0;
}

int postgres_fetch_all(postgres_baseline *store, const char *const *ids, int count, int64_t *digest) {
    arguments list = {.count = 0};
    if (add_array(store, &list, ids, count)) return -1;
    return read_all(store, &fetch_all, &list, 1, digest);
}

int postgres_list(postgres_baseline *store, const char *id, int64_t *digest) {
    arguments list = {.count = 0};
    add_text(&list, id);
    return read_all(store, &list_items, &list, 1, digest);
}

int postgres_tags(postgres_baseline *store, const char *const *ids, int count, char *tags) {
    for (int i = 0; i < count; i++) {
        arguments list = {.count = 0};
        add_text(&list, ids[i]);
        if (send(store, &get_tag, &list) || end(store)) return -1;
        PGresult *result = answer(store);
        int is_found = result && PQntuples(result) == 1;
        if (is_found) snprintf(tags + i * POSTGRES_TAG, POSTGRES_TAG, "%.*s", PQgetlength(result, 0, 0), PQgetvalue(result, 0, 0));
        PQclear(result);
        PQclear(PQgetResult(store->connection));
        if (!is_found) return failed(store, "no such item");
    }
    return 0;
}

int postgres_update(postgres_baseline *store, const char *const *ids, char *tags, int count, int64_t number) {
    if (send(store, &begin, NULL)) return -1;
    for (int i = 0; i < count; i++) {
        char tag[POSTGRES_TAG];
        arguments list = {.count = 0};
        snprintf(tag, sizeof tag, "%llx", (unsigned long long)++store->tag);
        add_number(&list, number + i);
        add_double(&list, 790000001.25);
        add_text(&list, tag);
        add_text(&list, ids[i]);
        add_text(&list, tags + i * POSTGRES_TAG);
        if (send(store, &update_item, &list) || note(store, "Items", ids[i], 1)) return -1;
        memcpy(tags + i * POSTGRES_TAG, tag, sizeof tag);
    }
    // Whether nobody else has changed them is known only now.
    if (end(store) || answers(store, 2 * count + 1, 1) != 2 * count) return -1;
    if (send(store, &commit, NULL) || end(store)) return -1;
    return answers(store, 1, 1) < 0;
}

int postgres_delete_list(postgres_baseline *store, const char *id) {
    arguments list = {.count = 0};
    add_text(&list, id);
    if (send(store, &begin, NULL) || send(store, &delete_items, &list) || send(store, &delete_list, &list)
        || note(store, "Lists", id, 2) || send(store, &commit, NULL) || end(store))
        return -1;
    int count = answers(store, 2, 0), others = answers(store, 3, 1);
    return others == 2 ? count : -1;
}

int postgres_changes(postgres_baseline *store, int64_t after, int limit, int64_t *digest) {
    arguments list = {.count = 0};
    add_number(&list, after);
    add_number(&list, limit);
    return read_all(store, &get_changes, &list, 3, digest);
}

int64_t postgres_last_change(postgres_baseline *store) {
    if (send(store, &last_change, NULL) || end(store)) return -1;
    PGresult *result = answer(store);
    int64_t last = result ? number_in(result, 0, 0) : -1;
    PQclear(result);
    PQclear(PQgetResult(store->connection));
    return last;
}
