// Answers every request with the same bytes: what HTTP itself costs.
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct MHD_Response *answer;

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *length, void **state) {
    if (*state == NULL) {
        *state = answer;
        return MHD_YES;
    }
    if (*length > 0) {
        *length = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, answer);
}

int main(int count, char **arguments) {
    size_t size = count > 1 ? strtoul(arguments[1], NULL, 10) : 600;
    char *bytes = malloc(size);
    memset(bytes, 'x', size);
    answer = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, &handle, NULL, MHD_OPTION_THREAD_POOL_SIZE, 2,
                         MHD_OPTION_END);
    if (daemon == NULL) return 1;
    printf("Listening on http://127.0.0.1:%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    pause();
    return 0;
}
