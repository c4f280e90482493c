// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0
//
// Usage: make tsan
//
// Tells the thread sanitizer what two parts of Swift's runtime do on Linux; `make tsan` loads this before the tests.
//
// The runtime is not instrumented. Most of what threads agree on there it tells the sanitizer by itself; two things it does not, and
// whatever they protect looks like a race:
//
// - Mutex, when two threads meet at it. Taking and releasing one that nobody else wants is compiled into our code, where the sanitizer
//   sees it; the rest is in libSynchronization.
// - A continuation that is resumed before its task has come to a stop: resuming releases, and the task, which goes on at once, does
//   not acquire. Our own code waits in swift_continuation_await. A checked continuation waits inside the runtime, out of our reach; what
//   our code calls next is swift_task_dealloc, for the frame of the function that waited.
//
// Every function does what it did, and says so.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef __attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) bool try_lock_slow(__attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftasynccall)) void await(void *context);
typedef __attribute__((swiftasynccall)) void resume(__attribute__((swift_async_context)) void *context);
typedef __attribute__((swiftcall)) void *get_current(void);
typedef __attribute__((swiftcall)) void dealloc(void *frame);
typedef void annotation(void *address);

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static await *await_next;
static get_current *current_task;
static dealloc *dealloc_next;
static annotation *tsan_acquire, *tsan_release;

__attribute__((constructor)) static void find(void) {
    await_next = (await *)dlsym(RTLD_NEXT, "swift_continuation_await");
    current_task = (get_current *)dlsym(RTLD_NEXT, "swift_task_getCurrent");
    dealloc_next = (dealloc *)dlsym(RTLD_NEXT, "swift_task_dealloc");
    // Only a program that was built with the sanitizer has them.
    tsan_acquire = (annotation *)dlsym(RTLD_DEFAULT, "__tsan_acquire");
    tsan_release = (annotation *)dlsym(RTLD_DEFAULT, "__tsan_release");
}

static void tell(annotation *annotation, void *address) {
    if (annotation) annotation(address);
}

lock_slow told_lock_slow __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void told_lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    ((lock_slow *)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
    tell(tsan_acquire, mutex);
}

try_lock_slow told_try_lock_slow __asm__(TRY_LOCK_SLOW);
__attribute__((swiftcall)) bool told_try_lock_slow(__attribute__((swift_context)) void *mutex) {
    bool is_locked = ((try_lock_slow *)dlsym(RTLD_NEXT, TRY_LOCK_SLOW))(mutex);
    if (is_locked) tell(tsan_acquire, mutex);
    return is_locked;
}

unlock_slow told_unlock_slow __asm__(UNLOCK_SLOW);
__attribute__((swiftcall)) void told_unlock_slow(__attribute__((swift_context)) void *mutex) {
    tell(tsan_release, mutex);
    ((unlock_slow *)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}

// Where the tasks that wait go on, by their contexts.
struct waiting {
    struct waiting *next;
    void *context;
    resume *function;
};

#define BUCKETS 4096
static struct waiting *buckets[BUCKETS];
static atomic_flag lock = ATOMIC_FLAG_INIT;

static struct waiting **bucket(void *context) { return &buckets[((uintptr_t)context >> 4) % BUCKETS]; }

static void enter(void) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {}
}

static void leave(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }

static void put(void *context, resume *function) {
    struct waiting *entry = malloc(sizeof *entry);
    if (!entry) abort();
    enter();
    *entry = (struct waiting){ *bucket(context), context, function };
    *bucket(context) = entry;
    leave();
}

static resume *take(void *context) {
    enter();
    struct waiting **link = bucket(context);
    while (*link && (*link)->context != context) link = &(*link)->next;
    struct waiting *entry = *link;
    if (!entry) abort();
    *link = entry->next;
    leave();
    resume *function = entry->function;
    free(entry);
    return function;
}

// The runtime's context of a task that waits begins like this (swift/ABI/Task.h).
struct context {
    void *parent;
    resume *resume_parent;
};

static resume told_resume;
__attribute__((swiftasynccall)) static void told_resume(__attribute__((swift_async_context)) void *context) {
    resume *function = take(context);
    // The address that the runtime releases when it resumes a continuation.
    tell(tsan_acquire, current_task());
    __attribute__((musttail)) return function(context);
}

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
    struct context *waiting = context;
    put(context, waiting->resume_parent);
    waiting->resume_parent = told_resume;
    __attribute__((musttail)) return await_next(context);
}

// Called behind each await of an asynchronous function, on the task that waited.
__attribute__((swiftcall)) void swift_task_dealloc(void *frame) {
    tell(tsan_acquire, current_task());
    dealloc_next(frame);
}
