#include "process_memory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

void process_trim(void) { malloc_trim(0); }

int64_t process_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}
#else
void process_trim(void) {}

int64_t process_allocated(void) { return 0; }
#endif
