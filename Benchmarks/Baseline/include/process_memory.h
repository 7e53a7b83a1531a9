// What the C library knows about the memory of this process.

#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H

#include <stdint.h>

/// Gives memory that is not used any more back to the system, as far as that can be asked for.
void process_trim(void);

/// The bytes that the program has allocated and not freed; 0 where that cannot be asked for.
int64_t process_allocated(void);

#endif
