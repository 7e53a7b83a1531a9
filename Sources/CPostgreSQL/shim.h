#include <libpq-fe.h>

#ifdef __linux__
// Swift's module of the C library does not have it.
#include <sys/epoll.h>
#endif
