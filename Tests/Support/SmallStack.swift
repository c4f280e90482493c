// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a test's code on a thread with a stack of 512 KiB, where recursion that is too deep stops the process.
public enum SmallStack {
    /// The size of the stack.
    public static let byteCount = 512 * 1_024

    private final class Job: Sendable {
        let body: @Sendable () throws -> Void
        let error = Mutex<(any Error)?>(nil)

        init(_ body: @escaping @Sendable () throws -> Void) {
            self.body = body
        }

        func run() {
            do {
                try self.body()
            } catch {
                self.error.withLock { $0 = error }
            }
        }
    }

    /// The thread could not be made.
    public struct NoThread: Error {}

    /// Runs code to its end.
    ///
    /// - Parameter body: The code.
    /// - Throws: What the code throws.
    public static func run(_ body: @escaping @Sendable () throws -> Void) throws {
        let job = Job(body)
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        guard pthread_attr_init(attributes) == 0 else { throw NoThread() }
        defer { pthread_attr_destroy(attributes) }
        guard pthread_attr_setstacksize(attributes, Self.byteCount) == 0 else { throw NoThread() }
        #if canImport(Darwin)
        let thread = UnsafeMutablePointer<pthread_t?>.allocate(capacity: 1)
        #else
        let thread = UnsafeMutablePointer<pthread_t>.allocate(capacity: 1)
        #endif
        defer { thread.deallocate() }
        let argument = Unmanaged.passUnretained(job).toOpaque()
        guard pthread_create(thread, attributes, { Self.start($0) }, argument) == 0 else { throw NoThread() }
        #if canImport(Darwin)
        if let thread = thread.pointee { pthread_join(thread, nil) }
        #else
        pthread_join(thread.pointee, nil)
        #endif
        if let error = job.error.withLock({ $0 }) { throw error }
    }

    private static func start(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Job>.fromOpaque(argument).takeUnretainedValue().run() }
        return nil
    }
}
