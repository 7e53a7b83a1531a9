// A library that is loaded before a program, and lets one call to the file system fail, or kills the program before it.
//
//   CRASH_ROOT=FOLDER          only calls that concern files in this folder are counted
//   CRASH_FAULT=FAULT:NUMBER   io: the call fails with EIO; space: with ENOSPC, where calls that need no space are not
//                              counted; kill: SIGKILL before the call. Calls are counted from 1.
//   CRASH_CALL=NAME            counts only calls of one function
//   CRASH_LOG=FILE             receives the call that the fault happened to, or the number of calls of a program that exits
//
// On Linux: LD_PRELOAD. On macOS: DYLD_INSERT_LIBRARIES, which has not been tried yet.
// Not counted: unlocking and unmapping, whose failures are not reported, and access, which only asks for rights.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#define REAL(name) name
#define CALL(type, name, parameters)                                                            \
    static type crash_##name parameters;                                                        \
    __attribute__((used, section("__DATA,__interpose"))) static struct { void *new, *old; }     \
        entry_##name = {(void *)crash_##name, (void *)name};                                    \
    static type crash_##name parameters
#else
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALL(type, name, parameters) type name parameters
#endif

enum { files = 4096 };
static const char *root, *logFile, *onlyCall;
static char fault;
static long at;
static atomic_long count;
static atomic_char counted[files];

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("CRASH_FAULT");
    const char *number = text ? strchr(text, ':') : NULL;
    if (!number) return;
    fault = text[0];
    at = atol(number + 1);
    logFile = getenv("CRASH_LOG");
    onlyCall = getenv("CRASH_CALL");
    root = getenv("CRASH_ROOT");
}

static int isInside(const char *path) { return root && path && !strncmp(path, root, strlen(root)); }
static int isCounted(int file) { return root && file >= 0 && file < files && counted[file]; }
static void mark(int file, int value) { if (file >= 0 && file < files) counted[file] = value; }

/// Counts a call. Returns whether it fails; `errno` has the reason. A call that is to die does not return.
static int fails(const char *call, const char *path, int file, int needsSpace) {
    if (path ? !isInside(path) : !isCounted(file)) return 0;
    if ((fault == 's' && !needsSpace) || (onlyCall && strcmp(call, onlyCall))) return 0;
    if (atomic_fetch_add(&count, 1) + 1 != at) return 0;
    int log = logFile ? REAL(open)(logFile, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (log >= 0) {
        char name[PATH_MAX] = "", line[PATH_MAX + 64];
#ifdef __linux__
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        if (!path && REAL(readlink)(link, name, sizeof name - 1) < 0) name[0] = 0;
#endif
        int length = snprintf(line, sizeof line, "%s %s\n", call, path ? path : name);
        (void)!REAL(write)(log, line, length);
        REAL(close)(log);
    }
    if (fault == 'k') kill(getpid(), SIGKILL);
    errno = fault == 's' ? ENOSPC : EIO;
    return 1;
}

__attribute__((destructor)) static void end(void) {
    long calls = atomic_load(&count);
    if (!logFile || calls >= at) return;
    int log = REAL(open)(logFile, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log < 0) return;
    dprintf(log, "%ld\n", calls);
    REAL(close)(log);
}

#define OPEN(name)                                                                              \
    CALL(int, name, (const char *path, int flags, ...)) {                                       \
        va_list list;                                                                           \
        va_start(list, flags);                                                                  \
        int mode = flags & O_CREAT ? va_arg(list, int) : 0;                                     \
        va_end(list);                                                                           \
        if (fails(#name, path, -1, flags & O_CREAT)) return -1;                                 \
        int file = REAL(name)(path, flags, mode);                                               \
        if (isInside(path)) mark(file, 1);                                                      \
        return file;                                                                            \
    }
#define ON_FILE(type, name, needsSpace, parameters, ...)                                        \
    CALL(type, name, parameters) {                                                              \
        return fails(#name, NULL, file, needsSpace) ? (type)-1 : REAL(name)(__VA_ARGS__);       \
    }
#define ON_PATH(name, needsSpace, parameters, ...)                                              \
    CALL(int, name, parameters) {                                                               \
        return fails(#name, path, -1, needsSpace) ? -1 : REAL(name)(__VA_ARGS__);               \
    }

OPEN(open)
ON_FILE(ssize_t, read, 0, (int file, void *bytes, size_t size), file, bytes, size)
ON_FILE(ssize_t, pread, 0, (int file, void *bytes, size_t size, off_t offset), file, bytes, size, offset)
ON_FILE(ssize_t, write, 1, (int file, const void *bytes, size_t size), file, bytes, size)
ON_FILE(ssize_t, pwrite, 1, (int file, const void *bytes, size_t size, off_t offset), file, bytes, size, offset)
ON_FILE(off_t, lseek, 0, (int file, off_t offset, int from), file, offset, from)
ON_FILE(int, ftruncate, 1, (int file, off_t size), file, size)
ON_FILE(int, fsync, 1, (int file), file)
ON_FILE(int, fchmod, 0, (int file, mode_t mode), file, mode)
ON_FILE(int, flock, 0, (int file, int operation), file, operation)
ON_FILE(void *, mmap, 1, (void *address, size_t size, int access, int flags, int file, off_t offset),
    address, size, access, flags, file, offset)
ON_PATH(unlink, 0, (const char *path), path)
ON_PATH(rmdir, 0, (const char *path), path)
ON_PATH(mkdir, 1, (const char *path, mode_t mode), path, mode)
ON_PATH(rename, 1, (const char *path, const char *new), path, new)
ON_PATH(link, 1, (const char *path, const char *new), path, new)
ON_PATH(chmod, 0, (const char *path, mode_t mode), path, mode)

// A file is closed even if the call fails.
CALL(int, close, (int file)) {
    int hasFailed = fails("close", NULL, file, 0);
    mark(file, 0);
    int result = REAL(close)(file);
    if (!hasFailed) return result;
    errno = EIO;
    return -1;
}

#define FCNTL(name)                                                                             \
    CALL(int, name, (int file, int command, ...)) {                                             \
        va_list list;                                                                           \
        va_start(list, command);                                                                \
        void *value = va_arg(list, void *);                                                     \
        va_end(list);                                                                           \
        int isLock = (command == F_SETLK || command == F_SETLKW)                                \
            && ((struct flock *)value)->l_type != F_UNLCK;                                      \
        if (isLock && fails(#name, NULL, file, 0)) return -1;                                   \
        return REAL(name)(file, command, value);                                                \
    }
FCNTL(fcntl)

CALL(DIR *, opendir, (const char *path)) {
    if (fails("opendir", path, -1, 0)) return NULL;
    DIR *folder = REAL(opendir)(path);
    if (folder && isInside(path)) mark(dirfd(folder), 1);
    return folder;
}
CALL(int, closedir, (DIR *folder)) {
    mark(dirfd(folder), 0);
    return REAL(closedir)(folder);
}
CALL(struct dirent *, readdir, (DIR *folder)) {
    return fails("readdir", NULL, dirfd(folder), 0) ? NULL : REAL(readdir)(folder);
}

#ifdef __linux__
OPEN(open64)
ON_FILE(ssize_t, pread64, 0, (int file, void *bytes, size_t size, off64_t offset), file, bytes, size, offset)
ON_FILE(ssize_t, pwrite64, 1, (int file, const void *bytes, size_t size, off64_t offset), file, bytes, size, offset)
ON_FILE(int, ftruncate64, 1, (int file, off64_t size), file, size)
ON_FILE(int, fdatasync, 1, (int file), file)
ON_FILE(int, fstat, 0, (int file, struct stat *status), file, status)
ON_FILE(int, fstat64, 0, (int file, struct stat64 *status), file, status)
ON_PATH(stat, 0, (const char *path, struct stat *status), path, status)
ON_PATH(lstat, 0, (const char *path, struct stat *status), path, status)
ON_PATH(stat64, 0, (const char *path, struct stat64 *status), path, status)
ON_PATH(lstat64, 0, (const char *path, struct stat64 *status), path, status)
ON_FILE(void *, mmap64, 1, (void *address, size_t size, int access, int flags, int file, off64_t offset),
    address, size, access, flags, file, offset)
FCNTL(fcntl64)
#endif
