// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// URLSession without its cache, with as many connections as requests.
struct URLSessionPeer: Peer {
    let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = Surroundings.connectionCount
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        self.session = URLSession(configuration: configuration)
    }

    func get(_ url: String, closes: Bool) async throws -> Int {
        var request = URLRequest(url: try Self.parse(url))
        if closes { request.setValue("close", forHTTPHeaderField: "Connection") }
        let (body, response) = try await self.session.data(for: request)
        try Self.check(response)
        return body.count
    }

    func download(_ url: String) async throws -> Int64 {
        // On Linux there is no sequence of bytes; only a download to a file is streamed.
        let (file, response) = try await self.session.download(from: Self.parse(url))
        try Self.check(response)
        defer { try? FileManager.default.removeItem(at: file) }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.size] as? NSNumber)?.int64Value ?? -1
    }

    func save(_ url: String, to path: String) async throws {
        let (file, response) = try await self.session.download(from: Self.parse(url))
        try Self.check(response)
        try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: path))
    }

    func upload(_ path: String, to url: String) async throws {
        var request = URLRequest(url: try Self.parse(url))
        request.httpMethod = "PUT"
        let (_, response) = try await self.session.upload(for: request, fromFile: URL(fileURLWithPath: path))
        try Self.check(response)
    }

    func shutdown() async throws { self.session.invalidateAndCancel() }

    private static func parse(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw WrongResponse("not a URL: \(text)") }
        return url
    }

    private static func check(_ response: URLResponse) throws {
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 200 else { throw WrongResponse("status \(status ?? 0)") }
    }
}

@main
struct Entry {
    static func main() async {
        await Workload.run(URLSessionPeer())
    }
}
