#ifndef CABINET_CURL_SHIM_H
#define CABINET_CURL_SHIM_H

#include <curl/curl.h>

// Swift calls no functions with variable arguments.

static inline CURLcode cabinet_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cabinet_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cabinet_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

// The functions that take the head and the body of a response, and that give the body of a request.
static inline CURLcode cabinet_curl_set_transfer(CURL *easy, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode cabinet_curl_set_seek(CURL *easy, curl_seek_callback function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

// Only what a server's address may have: a redirection or a mistake never leads to a file.
static inline CURLcode cabinet_curl_permit_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLMcode cabinet_curl_set_idle_connections(CURLM *multi, long count) {
    return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

static inline long cabinet_curl_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// The number of bytes of a number of the kind CURLINFO_…_T.
static inline curl_off_t cabinet_curl_size(CURL *easy, CURLINFO kind) {
    curl_off_t size = 0;
    curl_easy_getinfo(easy, kind, &size);
    return size;
}

static inline void *cabinet_curl_private(CURL *easy) {
    char *value = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
    return value;
}

#endif
