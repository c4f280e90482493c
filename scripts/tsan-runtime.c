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
// - A continuation that is resumed before its task has begun to wait: resuming releases, and the task, which does not stop, does not
//   acquire. (A continuation that is resumed at the very moment when its task begins to wait is not covered.)
//
// Every function does what it did, and says so.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

typedef __attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftasynccall)) void await(void *context);
typedef __attribute__((swiftcall)) void *get_current(void);
typedef void annotation(void *address);

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static void tell(const char *name, void *address) {
    // Only a program that was built with the sanitizer has it.
    annotation *function = (annotation *)dlsym(RTLD_DEFAULT, name);
    if (function) function(address);
}

static await *await_next;
static get_current *current_task;

__attribute__((constructor)) static void find(void) {
    await_next = (await *)dlsym(RTLD_NEXT, "swift_continuation_await");
    current_task = (get_current *)dlsym(RTLD_NEXT, "swift_task_getCurrent");
}

lock_slow told_lock_slow __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void told_lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    ((lock_slow *)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
    tell("__tsan_acquire", mutex);
}

unlock_slow told_unlock_slow __asm__(UNLOCK_SLOW);
__attribute__((swiftcall)) void told_unlock_slow(__attribute__((swift_context)) void *mutex) {
    tell("__tsan_release", mutex);
    ((unlock_slow *)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
    // The address that the runtime releases when it resumes a continuation.
    tell("__tsan_acquire", current_task());
    __attribute__((musttail)) return await_next(context);
}
