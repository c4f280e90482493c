// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import NIOCore
import NIOPosix
import NIOSSL

/// A connection that sends the bytes it is given and takes responses apart with as little code as possible.
struct RawConnection {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffer = ByteBuffer()

    /// Connects to a server for as long as a piece of code takes.
    static func with<Result: Sendable>(
        _ server: TestServer,
        root: [UInt8]? = nil,
        minimumVersion: TLSVersion = .tlsv12,
        _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        try await self.with(server.host, server.port, root: root, minimumVersion: minimumVersion, body)
    }

    /// Connects to an address for as long as a piece of code takes.
    static func with<Result: Sendable>(
        _ host: String,
        _ port: Int,
        root: [UInt8]? = nil,
        minimumVersion: TLSVersion = .tlsv12,
        _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        let context = try root.map { root in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = minimumVersion
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(root))
            return try NIOSSLContext(configuration: tls)
        }
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: "localhost")
                        )
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    func send(_ text: String) async throws {
        try await self.outbound.write(ByteBuffer(string: text))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await self.outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Waits for more bytes; false at the end of the stream.
    private mutating func fill() async throws -> Bool {
        guard let next = try await self.inbound.next(isolation: #isolation) else { return false }
        self.buffer.writeImmutableBuffer(next)
        return true
    }

    mutating func receive(_ count: Int) async throws -> [UInt8] {
        while self.buffer.readableBytes < count { guard try await self.fill() else { throw EndOfStream() } }
        return self.buffer.readBytes(length: count) ?? []
    }

    mutating func receiveLine() async throws -> String {
        while true {
            if let offset = self.buffer.readableBytesView.firstIndex(of: 0x0A) {
                let line = self.buffer.readString(length: offset - self.buffer.readerIndex + 1) ?? ""
                return String(line.dropLast(line.hasSuffix("\r\n") ? 1 : 0).trimmingLineEnd)
            }
            guard try await self.fill() else { throw EndOfStream() }
        }
    }

    /// Everything up to the end of the connection.
    mutating func receiveAll() async throws -> [UInt8] {
        while try await self.fill() {}
        return self.buffer.readBytes(length: self.buffer.readableBytes) ?? []
    }

    /// Everything up to the end of the connection, and how it ended.
    mutating func receiveToTheEnd() async -> (text: String, error: (any Error)?) {
        var failure: (any Error)?
        do {
            while try await self.fill() {}
        } catch {
            failure = error
        }
        return (self.buffer.readString(length: self.buffer.readableBytes) ?? "", failure)
    }

    mutating func receiveAllText() async throws -> String {
        String(decoding: try await self.receiveAll(), as: UTF8.self)
    }

    mutating func receiveHead() async throws -> RawResponse {
        let line = try await self.receiveLine().split(separator: " ", maxSplits: 2)
        var response = RawResponse(status: line.count > 1 ? Int(line[1]) ?? 0 : 0)
        while true {
            let line = try await self.receiveLine()
            if line.isEmpty { return response }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            response.headers.append((String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""))
        }
    }

    /// A head and the body that it announces.
    mutating func receiveResponse(to method: String = "GET") async throws -> RawResponse {
        var response = try await self.receiveHead()
        if method == "HEAD" || response.status == 204 || response.status == 304 { return response }
        if let length = response["content-length"].flatMap({ Int($0) }) {
            response.body = try await self.receive(length)
        } else if response["transfer-encoding"] == "chunked" {
            while true {
                let size = Int(try await self.receiveLine(), radix: 16) ?? 0
                if size == 0 { break }
                response.chunkSizes.append(size)
                response.body += try await self.receive(size)
                _ = try await self.receive(2)
            }
            while true {
                let line = try await self.receiveLine()
                if line.isEmpty { break }
                response.trailers.append(line)
            }
        } else {
            response.body = try await self.receiveAll()
        }
        return response
    }

    /// Sends a request and waits for its response.
    mutating func exchange(
        _ method: String,
        _ target: String,
        headers: [String] = [],
        body: String? = nil
    ) async throws -> RawResponse {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for header in headers { text += header + "\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" } else { text += "\r\n" }
        try await self.send(text)
        return try await self.receiveResponse(to: method)
    }
}

struct EndOfStream: Error {}

struct RawResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var chunkSizes: [Int] = []
    var trailers: [String] = []

    var text: String { String(decoding: self.body, as: UTF8.self) }

    subscript(name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name }?.value
    }
}

extension StringProtocol {
    fileprivate var trimmingLineEnd: String {
        String(decoding: self.utf8.filter { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
    }
}
