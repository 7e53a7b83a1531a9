#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted on this platform.
bool allocation_counter_works(void);

/// The number of memory blocks that the process has requested since it began.
uint64_t allocation_count(void);

#endif
