// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore

/// A session with its default configuration: serializers, validation, the chain of stages.
struct SessionPeer: Peer {
    let http: HTTPSession
    /// The reusable request for the small resource; nil to create a request from its URL each time, as a program does.
    let request: Request?

    init(_ transport: NIOTransport, preparing url: String? = nil) {
        self.http = HTTPSession(transport: transport)
        self.request = url.flatMap { URL(string: $0) }.map { Request(url: $0) }
    }

    func get(_ url: String, closes: Bool) async throws -> Int {
        let response: Response
        if var request {
            if closes { request.headers[.connection] = "close" }
            response = try await self.http.session.response(for: request)
        } else {
            let headers: HTTPFields = closes ? [.connection: "close"] : [:]
            response = try await self.http.get(url, headers: headers)
        }
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
        return response.body.count
    }

    func download(_ url: String) async throws -> Int64 {
        let response = try await self.http.session.send(Request(url: try Self.parse(url)))
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
        var count: Int64 = 0
        for try await buffer in response.body { count += Int64(buffer.readableBytes) }
        return count
    }

    func save(_ url: String, to path: String) async throws {
        let policy = DownloadPolicy(parallelism: Surroundings.parallelism)
        let request = Request(url: try Self.parse(url))
        _ = try await self.http.session.download(request, to: URL(filePath: path), policy: policy)
    }

    func upload(_ path: String, to url: String) async throws {
        let request = Request(method: .put, url: try Self.parse(url), body: .file(URL(filePath: path)))
        let response = try await self.http.session.response(for: request)
        guard response.status == .ok else { throw WrongResponse("status \(response.status)") }
    }

    func shutdown() async throws { await self.http.session.transport.shutdown() }

    private static func parse(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw WrongResponse("not a URL: \(text)") }
        return url
    }
}
