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

/// The event loops of an engine: a group that it was given, or the process-wide one, which is made when it is first needed.
///
/// NIO stops the process if it cannot make a loop for want of descriptors. So it is checked before whether there are enough.
final class EventLoops: Sendable {
    /// The descriptors of one loop: the poll set, the one that wakes it, and its timer.
    private static let descriptorsPerLoop = 3
    /// What is left for sockets and for whatever else opens files at that moment.
    private static let reserve = 8
    /// Whether the process-wide group is there.
    private static let isSharedReady = Atomic(false)

    private let group: (any EventLoopGroup)?

    /// - Parameter group: The group to use; nil for the process-wide one.
    init(_ group: (any EventLoopGroup)?) {
        self.group = group
    }

    /// The next loop in turn; ``prepare()`` has to have succeeded before.
    func next() -> any EventLoop {
        (self.group ?? MultiThreadedEventLoopGroup.singleton).next()
    }

    /// Makes the process-wide group, unless it is there or not needed.
    func prepare() throws(TransportError) {
        guard self.group == nil, !Self.isSharedReady.load(ordering: .acquiring) else { return }
        try Self.check(descriptors: NIOSingletons.groupLoopCountSuggestion * Self.descriptorsPerLoop + Self.reserve)
        _ = MultiThreadedEventLoopGroup.singleton
        Self.isSharedReady.store(true, ordering: .releasing)
    }

    /// Checks that so many descriptors can be opened, by opening them.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - openNext: Opens one more; the result is negative if the system call fails.
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
                throw TransportError(
                    .connectFailed,
                    phase: .connect,
                    reason: "the event loops need \(count) descriptors, and only \(opened.count) can be opened "
                        + "(\(SystemError.text(of: errno))); raise the limit of the process (ulimit -n)"
                )
            }
            opened.append(descriptor)
        }
    }
}
