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

/// Where the secrets of TLS connections are written, in the format of NSS (`SSLKEYLOGFILE`), which Wireshark reads.
///
/// **Whoever has these lines can read the traffic.** The engine writes them only where an option says so, and looks at no environment variable.
public struct KeyLog: Sendable {
    enum Destination: Sendable {
        case file(String)
        case receiver(@Sendable ([UInt8]) -> Void)
    }

    let destination: Destination

    /// Appends to a file.
    ///
    /// It is made with rights for its owner only if it is not there, and opened when the first https connection is made; if that fails, so do the
    /// exchanges, with ``TransportError/Code/tlsFailed``.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The key log.
    public static func file(_ path: String) -> KeyLog {
        KeyLog(destination: .file(path))
    }

    /// Hands the lines to code.
    ///
    /// - Parameter receive: Called with one line, its line feed included, on an event loop: it must be fast and must not block.
    /// - Returns: The key log.
    public static func lines(_ receive: @escaping @Sendable ([UInt8]) -> Void) -> KeyLog {
        KeyLog(destination: .receiver(receive))
    }

    /// What to call with each line; the file is open from now on.
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

/// A file that lines are appended to, from any thread; closed with the last reference.
private final class KeyLogFile: Sendable {
    private let descriptor: CInt

    init(path: String) throws(TransportError) {
        self.descriptor = Self.isPath(path) ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) : -1
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

    /// One write per line: what is appended so is not mixed with the lines of other threads and processes.
    func append(_ line: [UInt8]) {
        _ = line.withUnsafeBytes { write(self.descriptor, $0.baseAddress, $0.count) }
    }

    private static func isPath(_ path: String) -> Bool {
        errno = ENOENT
        return !path.utf8.contains(0)
    }
}
