// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Accepts one connection, on loopback or a Unix socket, keeps the bytes that come in, and answers with 204 when there are enough.
final class RawListener: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port: Int? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(descriptor, pointer, size) == 0, listen(descriptor, 1) == 0,
                    getsockname(descriptor, pointer, &size) == 0
                else { return nil }
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
        guard descriptor >= 0, let port else { throw Failure() }
        self.descriptor = descriptor
        self.port = port
    }

    /// Listens on a Unix socket.
    init(path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            guard path.utf8.count < MemoryLayout.size(ofValue: pointer.pointee.sun_path) else { return false }
            withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { $0.copyBytes(from: path.utf8) }
            return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(descriptor, 1) == 0
            }
        }
        guard descriptor >= 0, isBound else { throw Failure() }
        self.descriptor = descriptor
        self.port = 0
    }

    struct Failure: Error {}

    deinit { close(self.descriptor) }

    /// Receives a request.
    ///
    /// - Parameter byteCount: The bytes to wait for.
    /// - Returns: The bytes that came.
    @concurrent
    func receive(_ byteCount: Int) async -> [UInt8] { self.receiveAll { $0.count >= byteCount } }

    /// A text to wait for, and what is done when it has come.
    struct Step: Sendable {
        var text: String
        var action: @Sendable () -> Void = {}
    }

    /// Receives a request in steps.
    ///
    /// - Parameter steps: What to wait for, in order.
    /// - Returns: The bytes that came.
    @concurrent
    func receive(_ steps: [Step]) async -> [UInt8] {
        var rest = steps[...]
        return self.receiveAll { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            while let step = rest.first, text.contains(step.text) {
                rest.removeFirst()
                step.action()
            }
            return rest.isEmpty
        }
    }

    private func receiveAll(until isComplete: ([UInt8]) -> Bool) -> [UInt8] {
        // The suite's time limit does not end a blocking call.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let connection = accept(self.descriptor, nil, nil)
        guard connection >= 0 else { return [] }
        defer { close(connection) }
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while !isComplete(bytes) {
            let count = read(connection, &piece, piece.count)
            if count <= 0 { break }
            bytes += piece[..<count]
        }
        let response = Array("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".utf8)
        _ = response.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        return bytes
    }
}
