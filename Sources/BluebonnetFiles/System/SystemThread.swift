// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// A thread of its own, whose start can fail, unlike that of Foundation's.
package enum SystemThread {
    /// Starts a thread.
    ///
    /// - Parameter work: What it does.
    /// - Returns: The thread; nil if the system starts no other one.
    package static func start(_ work: @escaping @Sendable () -> Void) -> pthread_t? {
        let context = Unmanaged.passRetained(Work(work))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, Self.body, context.toOpaque()) == 0 else {
            context.release()
            return nil
        }
        return thread
    }

    /// Starts a thread that nothing waits for.
    ///
    /// - Parameter work: What it does.
    /// - Returns: False if the system starts no other one.
    package static func startDetached(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = self.start(work) else { return false }
        pthread_detach(thread)
        return true
    }

    #if canImport(Darwin)
    private static let body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
    #else
    private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
    #endif

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
