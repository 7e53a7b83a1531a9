#include "store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/// The state that all threads share.
typedef struct {
    baseline_contention *contention;
    /// All threads have opened the store when this is 0.
    atomic_int opening;
    atomic_int is_over;
    atomic_llong reads, failures, writes;
} arena;

typedef struct {
    arena *arena;
    uint64_t seed;
} reader;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void pause_briefly(void) { nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); }

/// Opens a connection, and waits until all threads have one.
static baseline *enter(arena *arena) {
    baseline *store = baseline_open(arena->contention->path, arena->contention->tuned, 0);
    if (!store) atomic_fetch_add(&arena->failures, 1);
    atomic_fetch_sub(&arena->opening, 1);
    while (atomic_load(&arena->opening) > 0) pause_briefly();
    return store;
}

static void *read_on(void *argument) {
    reader *self = argument;
    arena *arena = self->arena;
    const baseline_contention *contention = arena->contention;
    baseline *store = enter(arena);
    int64_t reads = 0, failures = 0;
    while (store && !atomic_load_explicit(&arena->is_over, memory_order_relaxed)) {
        self->seed = self->seed * 6364136223846793005u + 1442695040888963407u;
        const char *id = contention->read_ids[(self->seed >> 33) % (uint64_t)contention->read_count];
        baseline_tally tally = {0};
        int failed = contention->reads_lists ? baseline_list(store, id, 100, &tally) : baseline_fetch(store, &id, 1, &tally);
        if (failed || tally.rows == 0) failures++;
        reads++;
    }
    atomic_fetch_add(&arena->reads, reads);
    atomic_fetch_add(&arena->failures, failures);
    baseline_close(store);
    return NULL;
}

static void *write_on(void *argument) {
    arena *arena = argument;
    const baseline_contention *contention = arena->contention;
    baseline *store = enter(arena);
    int64_t writes = 0;
    for (int start = 0; store && !atomic_load_explicit(&arena->is_over, memory_order_relaxed); start += contention->batch) {
        if (start + contention->batch > contention->written_count) start = 0;
        if (baseline_update(store, contention->written_ids + start, contention->batch, contention->batch, writes)) {
            atomic_fetch_add(&arena->failures, 1);
            break;
        }
        writes += contention->batch;
    }
    atomic_fetch_add(&arena->writes, writes);
    baseline_close(store);
    return NULL;
}

int baseline_contend(baseline_contention *contention) {
    int count = contention->readers;
    arena arena = {.contention = contention, .opening = count + 1};
    pthread_t *threads = calloc((size_t)count + 1, sizeof *threads);
    reader *readers = calloc((size_t)count, sizeof *readers);
    if (!threads || !readers) abort();
    for (int i = 0; i < count; i++) {
        readers[i] = (reader){.arena = &arena, .seed = 0x5EED + (uint64_t)i};
        if (pthread_create(&threads[i], NULL, read_on, &readers[i])) abort();
    }
    if (pthread_create(&threads[count], NULL, write_on, &arena)) abort();
    while (atomic_load(&arena.opening) > 0) pause_briefly();
    double start = now();
    nanosleep(
        &(struct timespec){
            .tv_sec = (time_t)contention->seconds,
            .tv_nsec = (long)((contention->seconds - (double)(time_t)contention->seconds) * 1e9)},
        NULL);
    atomic_store(&arena.is_over, 1);
    contention->elapsed = now() - start;
    for (int i = 0; i <= count; i++) pthread_join(threads[i], NULL);
    free(threads);
    free(readers);
    contention->reads = atomic_load(&arena.reads);
    contention->failures = atomic_load(&arena.failures);
    contention->writes = atomic_load(&arena.writes);
    return contention->failures == 0 ? 0 : 1;
}
