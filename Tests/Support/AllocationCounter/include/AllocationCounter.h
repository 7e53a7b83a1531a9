#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted on this platform.
bool allocation_counter_works(void);

/// The number of memory blocks that the process has requested since it began.
uint64_t allocation_count(void);

/// Lets all threads share one heap, whose bytes are counted.
void allocation_share_heap(void);

/// The number of bytes that are allocated and not released in the shared heap.
uint64_t allocation_bytes(void);

#endif
