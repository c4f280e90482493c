// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore

/// The engine without a session: what is left when serializers, validation and interceptors are taken away.
struct TransportPeer: Peer {
    let transport: NIOTransport

    init(_ transport: NIOTransport) {
        self.transport = transport
    }

    func get(_ url: String, closes: Bool) async throws -> Int {
        var request = try Self.request(url)
        if closes { request.headers[.connection] = "close" }
        let reply = try await self.transport.exchange(request)
        guard reply.status == .ok, let body = reply.body.collectedBytes else { throw WrongReply("\(reply.status)") }
        return body.readableBytes
    }

    func download(_ url: String) async throws -> Int64 {
        var request = try Self.request(url)
        request.replyMode = .streamed
        let reply = try await self.transport.exchange(request)
        guard reply.status == .ok else { throw WrongReply("status \(reply.status)") }
        var count: Int64 = 0
        for try await buffer in reply.body { count += Int64(buffer.readableBytes) }
        return count
    }

    func save(_ url: String, to path: String) async throws {
        throw WrongReply("the engine knows no files")
    }

    func upload(_ path: String, to url: String) async throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let length = (attributes[.size] as? NSNumber)?.int64Value
        var request = try Self.request(url)
        request.method = .put
        request.body = .reader(length: length, isReplayable: true) { try FileReader(path) }
        let reply = try await self.transport.exchange(request)
        guard reply.status == .ok else { throw WrongReply("status \(reply.status)") }
    }

    func shutdown() async throws { await self.transport.shutdown() }

    private static func request(_ text: String) throws -> TransportRequest {
        // "http://host:port/path", as the driver writes it.
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        guard parts.count >= 2, let colon = parts[1].lastIndex(of: ":"),
            let port = Int(parts[1][parts[1].index(after: colon)...])
        else { throw WrongReply("not a URL: \(text)") }
        let scheme = text.hasPrefix("https:") ? Origin.Scheme.https : .http
        let origin = Origin(scheme: scheme, host: String(parts[1][..<colon]), port: port)
        return TransportRequest(origin: origin, target: "/" + (parts.count > 2 ? parts[2] : ""))
    }
}

private struct FileReader: TransportBodyReader {
    private let file: FileDescriptor

    init(_ path: String) throws {
        self.file = try FileDescriptor(path)
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try self.file.read(into: buffer)
    }
}

/// An open file that closes itself.
private final class FileDescriptor: Sendable {
    private let number: Int32

    init(_ path: String) throws {
        self.number = open(path, O_RDONLY)
        guard self.number >= 0 else { throw WrongReply("cannot open \(path)") }
    }

    deinit { close(self.number) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = Foundation.read(self.number, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw WrongReply("cannot read") }
        return count
    }
}
