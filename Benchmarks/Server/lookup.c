// Answers look-ups of one record from a table of SQLite: the least that the work costs, without rules, schema, users or tokens.
#include <microhttpd.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct request {
    size_t length;
    char body[4096];
};

static const char *path;
static _Thread_local sqlite3 *database;
static _Thread_local sqlite3_stmt *lookup;

static const char *text(int column) { return (const char *)sqlite3_column_text(lookup, column); }

static int find(const char *name, size_t length, char *answer, size_t size) {
    if (lookup == NULL) {
        if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) return -1;
        sqlite3_prepare_v3(database, "SELECT title, number, price, due, note, tag, created, modified FROM items WHERE name = ?1",
                           -1, SQLITE_PREPARE_PERSISTENT, &lookup, NULL);
    }
    sqlite3_bind_text(lookup, 1, name, (int)length, SQLITE_STATIC);
    int written = -1;
    if (sqlite3_step(lookup) == SQLITE_ROW)
        written = snprintf(
            answer, size,
            "{\"records\":[{\"recordName\":\"%.*s\",\"recordType\":\"Items\",\"fields\":{\"title\":{\"value\":\"%s\",\"type\":\"STRING\"},"
            "\"number\":{\"value\":%lld,\"type\":\"INT64\"},\"price\":{\"value\":%.17g,\"type\":\"DOUBLE\"},"
            "\"due\":{\"value\":%lld,\"type\":\"TIMESTAMP\"},\"note\":{\"value\":\"%s\",\"type\":\"STRING\"}},\"recordChangeTag\":\"%s\","
            "\"created\":{\"timestamp\":%lld,\"userRecordName\":\"_bench\"},\"modified\":{\"timestamp\":%lld,\"userRecordName\":"
            "\"_bench\"},\"deleted\":false,\"zoneID\":{\"zoneName\":\"_defaultZone\",\"ownerRecordName\":\"_bench\"}}]}",
            (int)length, name, text(0), sqlite3_column_int64(lookup, 1), sqlite3_column_double(lookup, 2),
            sqlite3_column_int64(lookup, 3), text(4), text(5), sqlite3_column_int64(lookup, 6), sqlite3_column_int64(lookup, 7));
    sqlite3_reset(lookup);
    return written;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *length, void **state) {
    struct request *request = *state;
    if (request == NULL) {
        *state = request = malloc(sizeof *request);
        request->length = 0;
        return request ? MHD_YES : MHD_NO;
    }
    if (*length > 0) {
        if (request->length + *length >= sizeof request->body) return MHD_NO;
        memcpy(request->body + request->length, body, *length);
        request->length += *length;
        *length = 0;
        return MHD_YES;
    }
    request->body[request->length] = 0;
    char answer[2048], line[256];
    char *start = strstr(request->body, "\"recordName\": \"");
    char *end = start ? strchr(start += 15, '"') : NULL;
    int size = end ? find(start, end - start, answer, sizeof answer) : -1;
    int status = size < 0 ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK;
    if (size < 0) size = snprintf(answer, sizeof answer, "{}");
    struct MHD_Response *response = MHD_create_response_from_buffer(size, answer, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "application/json; charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int written = snprintf(line, sizeof line, "{\"time\":%lld.%06ld,\"method\":\"%s\",\"path\":\"%s\",\"status\":%d,\"sent\":%d}\n",
                           (long long)now.tv_sec, now.tv_nsec / 1000, method, url, status, size);
    if (write(1, line, written) < 0) return MHD_NO;
    return result;
}

static void complete(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    free(*state);
}

static void fill(void) {
    unlink(path);
    sqlite3_open(path, &database);
    sqlite3_exec(database,
                 "PRAGMA journal_mode = WAL; CREATE TABLE items (name TEXT PRIMARY KEY, title, number, price, due, note, tag, created, "
                 "modified) WITHOUT ROWID; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
                 "INSERT INTO items SELECT 'r' || i, 'Item number ' || i || ' of the list', 12345, 12.75, 1790000000000, "
                 "'A line of text that is somewhat longer than a name', 'b' || i, 1790000000000, 1790000000000 FROM n",
                 NULL, NULL, NULL);
    sqlite3_close(database);
    database = NULL;
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    path = arguments[1];
    fill();
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, &handle, NULL, MHD_OPTION_NOTIFY_COMPLETED, &complete, NULL,
                         MHD_OPTION_THREAD_POOL_SIZE, 2, MHD_OPTION_END);
    if (daemon == NULL) return 1;
    printf("Listening on http://127.0.0.1:%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    pause();
    return 0;
}
