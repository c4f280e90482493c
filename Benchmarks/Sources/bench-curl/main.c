// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0
//
// libcurl as its documentation shows it: one easy handle that is reused, and a multi handle with one easy handle per
// concurrent request. The command line and the output are those of the other peers.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct reading {
    double clock;
    double processor;
};

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct reading now(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    struct reading reading = {
        clock_seconds(),
        (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
    };
    return reading;
}

static void report(long count, long long bytes, struct reading before) {
    struct reading after = now();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"count\": %ld, \"bytes\": %lld, \"seconds\": %.9f, \"processor\": %.9f, \"peak\": %ld}\n", count, bytes,
           after.clock - before.clock, after.processor - before.processor, usage.ru_maxrss * 1024);
}

static void fail(const char *reason) {
    fprintf(stderr, "bench-curl: %s\n", reason);
    exit(1);
}

static size_t take(char *data, size_t size, size_t count, void *total) {
    (void)data;
    *(long long *)total += (long long)(size * count);
    return size * count;
}

static size_t give(char *data, size_t size, size_t count, void *file) { return fread(data, size, count, file); }

static CURL *make_handle(const char *url, long long *total) {
    CURL *handle = curl_easy_init();
    if (!handle) fail("no handle");
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, total);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, total);
    curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 128L * 1024L);
    // TLS sessions are not resumed: no other peer does so, and the server keeps none.
    curl_easy_setopt(handle, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    if (getenv("BENCH_ROOT")) curl_easy_setopt(handle, CURLOPT_CAINFO, getenv("BENCH_ROOT"));
    const char *version = getenv("BENCH_HTTP");
    int is_http2 = version && strcmp(version, "2") == 0;
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, is_http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(handle, CURLOPT_PIPEWAIT, (long)is_http2);
    return handle;
}

static void check(CURL *handle, CURLcode result, long long expected) {
    long status = 0;
    long long *total = NULL;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&total);
    if (result != CURLE_OK) fail(curl_easy_strerror(result));
    if (status != 200) fail("the status is not 200");
    if (expected >= 0 && *total != expected) fail("the body has a wrong length");
    *total = 0;
}

// The cost of the first connection and of loading root certificates is not part of the cost of a large body.
static void warm_up(CURL *handle, const char *url) {
    char *small = strdup(url);
    size_t length = strlen(small);
    if (length > 6 && strcmp(small + length - 6, "/large") == 0) strcpy(small + length - 5, "small");
    curl_easy_setopt(handle, CURLOPT_URL, small);
    check(handle, curl_easy_perform(handle), -1);
    curl_easy_setopt(handle, CURLOPT_URL, url);
    free(small);
}

static long one_at_a_time(CURL *handle, double seconds, long long bytes) {
    double end = clock_seconds() + seconds;
    long count = 0;
    while (clock_seconds() < end) {
        check(handle, curl_easy_perform(handle), bytes);
        count += 1;
    }
    return count;
}

// Ends after some seconds, or after a number of requests if `limit` is not negative.
static long many_at_a_time(CURLM *multi, CURL **handles, int width, double seconds, long limit, long long bytes) {
    double end = clock_seconds() + seconds;
    long count = 0, started = width;
    int running = 0;
    for (int index = 0; index < width; index += 1) curl_multi_add_handle(multi, handles[index]);
    int active = width;
    while (active > 0) {
        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform");
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            check(handle, message->data.result, bytes);
            count += 1;
            curl_multi_remove_handle(multi, handle);
            if (limit < 0 ? clock_seconds() < end : started < limit) {
                started += 1;
                curl_multi_add_handle(multi, handle);
            } else {
                active -= 1;
            }
        }
        if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return count;
}

static void get(const char *url, int width, double seconds, long long bytes, int closes) {
    long long *totals = calloc((size_t)width, sizeof(long long));
    CURL **handles = calloc((size_t)width, sizeof(CURL *));
    for (int index = 0; index < width; index += 1) handles[index] = make_handle(url, &totals[index]);
    for (int index = 0; closes && index < width; index += 1) {
        struct curl_slist *fields = curl_slist_append(NULL, "Connection: close");
        curl_easy_setopt(handles[index], CURLOPT_HTTPHEADER, fields);
    }
    struct reading before;
    long count;
    if (width == 1) {
        one_at_a_time(handles[0], seconds / 4, bytes);
        before = now();
        count = one_at_a_time(handles[0], seconds, bytes);
    } else {
        CURLM *multi = curl_multi_init();
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)width);
        many_at_a_time(multi, handles, width, seconds / 4, -1, bytes);
        before = now();
        count = many_at_a_time(multi, handles, width, seconds, -1, bytes);
    }
    report(count, count * bytes, before);
}

static void repeat(const char *url, int width, long count, long long bytes) {
    long long *totals = calloc((size_t)width, sizeof(long long));
    CURL **handles = calloc((size_t)width, sizeof(CURL *));
    for (int index = 0; index < width; index += 1) handles[index] = make_handle(url, &totals[index]);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)width);
    struct reading before = now();
    report(many_at_a_time(multi, handles, width, 0, count, bytes), count * bytes, before);
}

int main(int count, char **arguments) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int connects = count == 6 && strcmp(arguments[1], "connect") == 0;
    if (connects || (count == 6 && strcmp(arguments[1], "get") == 0)) {
        get(arguments[2], atoi(arguments[3]), atof(arguments[4]), atoll(arguments[5]), connects);
    } else if (count == 6 && strcmp(arguments[1], "repeat") == 0) {
        repeat(arguments[2], atoi(arguments[3]), atol(arguments[4]), atoll(arguments[5]));
    } else if (count == 5 && strcmp(arguments[1], "flood") == 0) {
        repeat(arguments[2], atoi(arguments[3]), atol(arguments[3]), atoll(arguments[4]));
    } else if (count == 5 && strcmp(arguments[1], "save") == 0) {
        long long total = 0, bytes = atoll(arguments[4]);
        FILE *file = fopen(arguments[3], "wbx");
        if (!file) fail("the file cannot be made");
        CURL *handle = make_handle(arguments[2], &total);
        warm_up(handle, arguments[2]);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, NULL);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, file);
        struct reading before = now();
        check(handle, curl_easy_perform(handle), -1);
        if (ftell(file) != bytes || fclose(file) != 0) fail("the file has a wrong length");
        report(1, bytes, before);
    } else if (count == 4 && strcmp(arguments[1], "download") == 0) {
        long long total = 0, bytes = atoll(arguments[3]);
        CURL *handle = make_handle(arguments[2], &total);
        warm_up(handle, arguments[2]);
        struct reading before = now();
        check(handle, curl_easy_perform(handle), bytes);
        report(1, bytes, before);
    } else if (count == 5 && strcmp(arguments[1], "upload") == 0) {
        long long total = 0, bytes = atoll(arguments[4]);
        FILE *file = fopen(arguments[3], "rb");
        if (!file) fail("the file cannot be opened");
        CURL *handle = make_handle(arguments[2], &total);
        warm_up(handle, arguments[2]);
        curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(handle, CURLOPT_READFUNCTION, give);
        curl_easy_setopt(handle, CURLOPT_READDATA, file);
        curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)bytes);
        struct reading before = now();
        check(handle, curl_easy_perform(handle), -1);
        report(1, bytes, before);
    } else {
        fail("no such measurement");
    }
    return 0;
}
