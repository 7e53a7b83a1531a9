#include "process_memory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#define KNOWS_ALLOCATIONS __GLIBC_PREREQ(2, 33)
#else
#define KNOWS_ALLOCATIONS 0
#endif

#if KNOWS_ALLOCATIONS

void process_trim(void) { malloc_trim(0); }

int64_t process_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}
#else
void process_trim(void) {}

int64_t process_allocated(void) { return 0; }
#endif
