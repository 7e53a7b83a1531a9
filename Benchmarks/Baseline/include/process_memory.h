// The C library's figures about the memory of this process.

#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H

#include <stdint.h>

/// Returns unused memory to the system, if the platform supports it.
void process_trim(void);

/// The bytes that the program has allocated and not freed; 0 if unknown.
int64_t process_allocated(void);

#endif
