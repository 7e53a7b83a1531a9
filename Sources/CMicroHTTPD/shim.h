#include <limits.h>
#include <microhttpd.h>

// Swift calls no functions with variable arguments.

struct CMicroHTTPD_callbacks {
    void *context;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
};

/// Starts a thread that serves the connections that MHD_add_connection gives it. A certificate and its key turn TLS on.
static inline struct MHD_Daemon *CMicroHTTPD_start(
    struct CMicroHTTPD_callbacks callbacks, size_t connection_memory, unsigned int silence, const char *certificate,
    const char *key) {
#ifdef __linux__
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD;
#else
    unsigned int flags = MHD_USE_POLL_INTERNAL_THREAD;
#endif
    flags |= MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
    if (certificate) flags |= MHD_USE_TLS;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks.request, callbacks.context, MHD_OPTION_URI_LOG_CALLBACK, callbacks.target,
        callbacks.context, MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        connection_memory, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)INT_MAX, MHD_OPTION_CONNECTION_TIMEOUT, silence,
        MHD_OPTION_ARRAY, certificate ? tls : tls + 3, MHD_OPTION_END);
}

static inline int CMicroHTTPD_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *CMicroHTTPD_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline int CMicroHTTPD_is_suspended(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_SUSPENDED);
    return info ? info->suspended == MHD_YES : 0;
}

static inline size_t CMicroHTTPD_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// The number of the fields of a head and of the items of its query, and that of its cookies.
static inline size_t CMicroHTTPD_value_count(struct MHD_Connection *connection) {
    return (size_t)MHD_get_connection_values(connection, MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND, NULL, NULL);
}

static inline size_t CMicroHTTPD_cookie_count(struct MHD_Connection *connection) {
    return (size_t)MHD_get_connection_values(connection, MHD_COOKIE_KIND, NULL, NULL);
}

static inline unsigned int CMicroHTTPD_status(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info ? info->http_status : 0;
}

#ifdef __linux__
// Swift's module of the C library does not have it.
#define CMicroHTTPD_POLLRDHUP 0x2000
#else
#define CMicroHTTPD_POLLRDHUP 0
#endif
