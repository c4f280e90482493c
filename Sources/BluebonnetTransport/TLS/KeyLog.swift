// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The destination of TLS secrets in the NSS key log format (`SSLKEYLOGFILE`), which Wireshark reads.
///
/// **Anyone who has these lines can decrypt the traffic.** The engine writes them only if this option is set, and
/// ignores environment variables.
public struct KeyLog: Sendable {
    enum Destination: Sendable {
        case file(String)
        case receiver(@Sendable ([UInt8]) -> Void)
    }

    let destination: Destination

    /// Creates a key log that appends to a file.
    ///
    /// A missing file is created with permissions for its owner only. The file is opened when the first https
    /// connection is made; if that fails, the exchanges fail with ``TransportError/Code/tlsFailed``. A named pipe needs a
    /// reader by then, and loses the lines that its reader has not made room for: no connection waits for it.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The key log.
    public static func file(_ path: String) -> KeyLog {
        KeyLog(destination: .file(path))
    }

    /// Creates a key log that passes its lines to a closure.
    ///
    /// - Parameter receive: Called with one line, its line feed included, on an event loop: it must be fast and must not block.
    /// - Returns: The key log.
    public static func lines(_ receive: @escaping @Sendable ([UInt8]) -> Void) -> KeyLog {
        KeyLog(destination: .receiver(receive))
    }

    /// Opens the destination and returns the function that receives each line.
    func open() throws(TransportError) -> @Sendable ([UInt8]) -> Void {
        switch self.destination {
        case .receiver(let receive):
            return receive
        case .file(let path):
            let file = try KeyLogFile(path: path)
            return { file.append($0) }
        }
    }
}

/// A file that lines are appended to from any thread; it is closed with its last reference.
private final class KeyLogFile: Sendable {
    private let descriptor: CInt

    init(path: String) throws(TransportError) {
        // Without waiting, in both calls: the other end of a named pipe may be missing or slow, and lines are written on
        // event loops.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        self.descriptor = Self.isPath(path) ? open(path, flags, 0o600) : -1
        guard self.descriptor >= 0 else {
            throw TransportError(
                .tlsFailed,
                phase: .tlsHandshake,
                reason: "the key log \(path) cannot be opened: \(SystemError.text(of: errno))"
            )
        }
    }

    deinit {
        close(self.descriptor)
    }

    /// One write per line: appended data does not interleave with that of other threads and processes.
    func append(_ line: [UInt8]) {
        _ = line.withUnsafeBytes { write(self.descriptor, $0.baseAddress, $0.count) }
    }

    private static func isPath(_ path: String) -> Bool {
        errno = ENOENT
        return !path.utf8.contains(0)
    }
}
