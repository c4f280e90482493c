// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore

/// The engine without a session, and so without serializers, validation and interceptors.
///
/// It sends the same header fields as a session, so that both send identical bytes.
struct TransportPeer: Peer {
    let transport: NIOTransport
    /// A reusable request, and the text of its URL.
    let prepared: (url: String, request: TransportRequest)
    /// The URL that each request is made from; nil to use the reusable one.
    var converted: URL?

    init(_ transport: NIOTransport, preparing url: String) throws {
        self.transport = transport
        self.prepared = (url, try Self.request(url))
    }

    /// The same peer, which makes each request from a URL.
    func converting(_ url: String) -> Self {
        var peer = self
        peer.converted = URL(string: url)
        return peer
    }

    func get(_ url: String, closes: Bool) async throws -> Int {
        var request = url == self.prepared.url ? self.prepared.request : try Self.request(url)
        if let converted { request.convert(converted) }
        if closes { request.headers[.connection] = "close" }
        let response = try await self.transport.exchange(request)
        guard response.status == .ok, let body = response.body.collectedBytes else {
            throw WrongResponse("\(response.status)")
        }
        return body.readableBytes
    }

    func download(_ url: String) async throws -> Int64 {
        var request = try Self.request(url)
        request.responseMode = .streamed
        let response = try await self.transport.exchange(request)
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
        var count: Int64 = 0
        for try await buffer in response.body { count += Int64(buffer.readableBytes) }
        return count
    }

    func save(_ url: String, to path: String) async throws {
        throw WrongResponse("the engine knows no files")
    }

    func upload(_ path: String, to url: String) async throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let length = (attributes[.size] as? NSNumber)?.int64Value
        var request = try Self.request(url)
        request.method = .put
        request.body = .reader(length: length, isReplayable: true) { try FileReader(path) }
        let response = try await self.transport.exchange(request)
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
    }

    func shutdown() async throws { await self.transport.shutdown() }

    private static func request(_ text: String) throws -> TransportRequest {
        // "http://host:port/path", as the driver passes it.
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        guard parts.count >= 2, let colon = parts[1].lastIndex(of: ":"),
            let port = Int(parts[1][parts[1].index(after: colon)...])
        else { throw WrongResponse("not a URL: \(text)") }
        let scheme = text.hasPrefix("https:") ? Origin.Scheme.https : .http
        let origin = Origin(scheme: scheme, host: String(parts[1][..<colon]), port: port)
        var request = TransportRequest(origin: origin, target: "/" + (parts.count > 2 ? parts[2] : ""))
        request.headers = [.accept: "*/*", .acceptEncoding: "gzip, deflate"]
        return request
    }
}

extension TransportRequest {
    /// Sets what follows from a URL, and the two fields of every request: the least that a session has to do.
    @inline(never)
    fileprivate mutating func convert(_ url: URL) {
        self.origin = Origin(scheme: .http, host: url.host() ?? "", port: url.port ?? 80)
        self.target = url.path()
        self.headers = [.accept: "*/*", .acceptEncoding: "gzip, deflate"]
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

/// An open file that is closed when it is released.
private final class FileDescriptor: Sendable {
    private let number: Int32

    init(_ path: String) throws {
        self.number = open(path, O_RDONLY)
        guard self.number >= 0 else { throw WrongResponse("cannot open \(path)") }
    }

    deinit { close(self.number) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = Foundation.read(self.number, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw WrongResponse("cannot read") }
        return count
    }
}
