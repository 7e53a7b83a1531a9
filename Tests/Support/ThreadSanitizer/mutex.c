// Reports to the thread sanitizer what a contended `Synchronization.Mutex` does: the library's slow functions are not
// instrumented, and the kernel hands the lock over. Loaded before a program that is built with the sanitizer, on Linux.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

static void report(const char *event, void *address) {
    void (*function)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, event);
    if (function) function(address);
}

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lockSlow(uint32_t, SELF) __asm__(LOCK);
SWIFT void unlockSlow(SELF) __asm__(UNLOCK);

SWIFT void lockSlow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, self);
    report("__tsan_acquire", self);
}

SWIFT void unlockSlow(SELF) {
    report("__tsan_release", self);
    ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(self);
}
