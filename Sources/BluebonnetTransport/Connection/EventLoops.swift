// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The event loops of an engine: the group it was given, or the process-wide group, which is created when first needed.
///
/// NIO stops the process if it runs out of file descriptors while it creates a loop, so the engine first checks that
/// enough are available.
final class EventLoops: Sendable {
    /// The file descriptors of one loop: epoll, eventfd and timerfd.
    private static let descriptorsPerLoop = 3
    /// Descriptors left for sockets and for other files that are opened at that moment.
    private static let reserve = 8
    /// Whether the process-wide group has been created.
    private static let isSharedReady = Atomic(false)

    private let group: (any EventLoopGroup)?

    /// - Parameter group: The group to use; nil for the process-wide one.
    init(_ group: (any EventLoopGroup)?) {
        self.group = group
    }

    /// Returns the next loop in turn; ``prepare()`` must have succeeded before.
    func next() -> any EventLoop {
        (self.group ?? MultiThreadedEventLoopGroup.singleton).next()
    }

    /// Creates the process-wide group, unless it exists or is not needed.
    func prepare() throws(TransportError) {
        guard self.group == nil, !Self.isSharedReady.load(ordering: .acquiring) else { return }
        let count = NIOSingletons.groupLoopCountSuggestion * Self.descriptorsPerLoop
        try Self.checkLimit(descriptors: count + Self.reserve)
        try Self.check(descriptors: count)
        _ = MultiThreadedEventLoopGroup.singleton
        Self.isSharedReady.store(true, ordering: .releasing)
    }

    /// Checks that the limit of the process leaves this many file descriptors.
    ///
    /// - Parameter count: The number of descriptors.
    /// - Throws: ``TransportError/Code/connectFailed`` if there are fewer.
    static func checkLimit(descriptors count: Int) throws(TransportError) {
        let free = DescriptorLimit.available(upTo: count)
        guard free < count else { return }
        throw Self.shortage(of: count, EMFILE, available: free)
    }

    /// Checks that this many file descriptors can be opened, by opening them.
    ///
    /// - Parameters:
    ///   - count: The number of descriptors.
    ///   - openNext: Opens one more; returns a negative number if the system call fails.
    /// - Throws: ``TransportError/Code/connectFailed`` if one cannot be opened.
    static func check(
        descriptors count: Int,
        openNext: () -> CInt = { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    ) throws(TransportError) {
        var opened = [CInt]()
        defer { for descriptor in opened { _ = close(descriptor) } }
        for _ in 0..<count {
            let descriptor = openNext()
            guard descriptor >= 0 else {
                throw Self.shortage(of: count, errno, available: opened.count)
            }
            opened.append(descriptor)
        }
    }

    private static func shortage(of count: Int, _ code: CInt, available: Int) -> TransportError {
        let isLimit = code == EMFILE || code == ENFILE
        let fault = SystemError.text(of: code) + (isLimit ? "" : ", /dev/null")
        return TransportError(
            .connectFailed,
            phase: .connect,
            reason: "the event loops need \(count) descriptors, and only \(available) can be opened (\(fault))"
                + (code == EMFILE ? "; raise the limit of the process (ulimit -n)" : "")
        )
    }
}
