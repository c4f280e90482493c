// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A process without free descriptors, for exit tests.
enum DescriptorShortage {
    /// Runs a function while the process has only so many free descriptors.
    static func run<Value>(leaving count: Int, _ work: () throws -> Value) rethrows -> Value {
        var limit = rlimit(rlim_cur: 512, rlim_max: 512)
        #if canImport(Glibc)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        _ = setrlimit(RLIMIT_NOFILE, &limit)
        #endif
        var held: [CInt] = []
        while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 { held.append(descriptor) }
        for descriptor in held.suffix(count) { close(descriptor) }
        defer { for descriptor in held.dropLast(count) { close(descriptor) } }
        return try work()
    }
}
