// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reports the names that files receive in a folder, with inotify.
package final class FolderWatcher: Sendable {
    private let watcher: DescriptorWatcher

    /// Starts watching.
    ///
    /// The result is nil if the system cannot create a watch, a pipe or a thread.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - onNames: Called on a separate thread with the names that files received by a rename; nil if the system has
    ///     lost events. It must be fast and must not block.
    package init?(_ directory: borrowing FileLocation.Directory, onNames: @escaping @Sendable ([String]?) -> Void) {
        // By its descriptor, so that it is this folder even if it has been renamed.
        guard let queue = NotificationQueue(watching: "/proc/self/fd/\(directory.descriptor)") else { return nil }
        let watcher = DescriptorWatcher(queue.descriptor) {
            guard let names = queue.read() else { return false }
            switch names {
            case .names(let names): if !names.isEmpty { onNames(names) }
            case .overflow: onNames(nil)
            }
            return true
        }
        guard let watcher else { return nil }
        self.watcher = watcher
    }
}

/// The system's queue of events in a folder, which is closed when it is released.
private final class NotificationQueue: Sendable {
    enum Change {
        case names([String])
        case overflow
    }

    let descriptor: CInt

    private static var headByteCount: Int { 16 }

    init?(watching path: String) {
        self.descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard self.descriptor >= 0, inotify_add_watch(self.descriptor, path, UInt32(IN_MOVED_TO)) >= 0 else {
            return nil
        }
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    /// Reads the available events; returns nil if the queue is no longer usable.
    func read() -> Change? {
        var names: [String] = []
        var bytes = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = bytes.withUnsafeMutableBytes { systemRead(self.descriptor, $0) }
            if count < 0 { return errno == EAGAIN ? .names(names) : nil }
            guard count > 0 else { return nil }
            guard Self.parse(bytes[..<count], into: &names) else { return .overflow }
        }
    }

    /// Parses `inotify_event` records: watch, mask, cookie and length of 4 bytes each, and a NUL-terminated name.
    ///
    /// - Returns: Whether no events were lost.
    private static func parse(_ bytes: ArraySlice<UInt8>, into names: inout [String]) -> Bool {
        var rest = bytes
        while rest.count >= Self.headByteCount {
            let head = rest.withUnsafeBytes { bytes in
                (
                    mask: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    length: Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                )
            }
            if head.mask & UInt32(IN_Q_OVERFLOW) != 0 { return false }
            rest = rest.dropFirst(Self.headByteCount)
            let name = rest.prefix(head.length).prefix { $0 != 0 }
            names.append(String(decoding: name, as: UTF8.self))
            rest = rest.dropFirst(head.length)
        }
        return true
    }
}
#endif
