// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// Servers that stand before others, each with the same requests in every form that it speaks.
///
/// `make interop` runs them and writes what they saw into `Documentation/Interop.md`.
@Suite(
    .serialized,  // One server at a time: each has a process and ports of its own.
    .timeLimit(.minutes(1)),
    .enabled(if: FrontTable.isWanted, "make interop runs these")
) struct FrontServersTests {
    static let kinds: [ExternalServer.Kind] = [.caddy, .haproxy, .h2o, .nghttpd, .squidFront, .varnishFront]

    /// How a server is spoken to.
    struct Form: Sendable {
        var name: String
        var url: URL
        var versions: NIOTransport.HTTPVersions
        var tls: (minimum: TLSOptions.Version, maximum: TLSOptions.Version)?
    }

    static func forms(of kind: ExternalServer.Kind, _ server: ExternalServer) -> [Form] {
        var forms = [Form]()
        // nghttpd speaks nothing but HTTP/2.
        if kind != .nghttpd { forms.append(Form(name: "HTTP/1.1", url: server.http, versions: .http1)) }
        if let url = server.http2 { forms.append(Form(name: "HTTP/2", url: url, versions: .http2)) }
        if let url = server.https {
            forms.append(
                Form(name: "HTTP/1.1, TLS 1.2", url: url, versions: .http1, tls: (minimum: .tls12, maximum: .tls12))
            )
            forms.append(
                Form(name: "HTTP/1.1, TLS 1.3", url: url, versions: .http1, tls: (minimum: .tls13, maximum: .tls13))
            )
        }
        if let url = server.https2 {
            forms.append(
                Form(name: "HTTP/2, TLS 1.2", url: url, versions: .http2, tls: (minimum: .tls12, maximum: .tls12))
            )
            forms.append(
                Form(name: "HTTP/2, TLS 1.3", url: url, versions: .http2, tls: (minimum: .tls13, maximum: .tls13))
            )
        }
        return forms
    }

    @Test(arguments: Self.kinds) func `a server answers in every form that it speaks`(
        _ kind: ExternalServer.Kind
    ) async throws {
        try await ExternalServer.run(kind) { server in
            for form in Self.forms(of: kind, server) {
                var configuration = NIOTransport.Configuration()
                configuration.proxy = .direct
                configuration.httpVersions = form.versions
                if let tls = form.tls {
                    configuration.tls.additionalRoots = [.pemFile(try #require(server.root))]
                    configuration.tls.minimumVersion = tls.minimum
                    configuration.tls.maximumVersion = tls.maximum
                }
                let transport = NIOTransport(configuration: configuration)
                let result: Result<Void, any Error>
                do {
                    try await Self.check(kind, form, transport)
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await transport.shutdown()
                try result.get()
                let name = kind.rawValue.replacing(" front", with: "")
                FrontTable.add(server: name, version: server.version ?? "unknown", form: form.name)
            }
        }
    }

    /// Small and large bodies in both directions, HEAD, statuses, many requests at once, and one connection for all that come after one another.
    private static func check(_ kind: ExternalServer.Kind, _ form: Form, _ transport: NIOTransport) async throws {
        let origin = Origin(scheme: form.tls == nil ? .http : .https, host: "localhost", port: form.url.port)
        func send(
            _ method: HTTPRequest.Method,
            _ target: String,
            _ body: TransportBody = .none
        ) async throws -> (TransportResponse, Data) {
            let request = TransportRequest(method: method, origin: origin, target: target, body: body)
            let response = try await transport.exchange(request)
            return (response, Data(try await response.body.collect(upTo: 1 << 24).readableBytesView))
        }
        for size in [1, 3_000_000] {
            let (response, bytes) = try await send(.get, "/bytes/\(size)")
            #expect(response.status == .ok)
            #expect(bytes.count == size)
            #expect(bytes.last == UInt8((size - 1) % 251))
            #expect(response.metrics.httpVersion == (form.versions == .http2 ? .http2 : .http11))
            if kind == .nghttpd { #expect(response.body.trailers?[.contentLanguage] == "en") }
        }
        let (head, nothing) = try await send(.head, "/bytes/3000000")
        #expect(head.status == .ok)
        #expect(head.headers[.contentLength] == "3000000")
        #expect(nothing.isEmpty)
        let missing = kind == .nghttpd ? "/missing" : "/status/404"
        #expect(try await send(.get, missing).0.status == .notFound)
        if transport.statistics.opened != 1 { Issue.record("\(form.name): \(transport.statistics.opened) connections") }

        let upload = patternedData(count: 2_000_000)
        let (stored, said) = try await send(.post, "/upload", .bytes(ByteBuffer(bytes: upload)))
        #expect(stored.status == .ok)
        if kind == .nghttpd {
            #expect(said == upload)
        } else {
            #expect(String(decoding: said, as: UTF8.self) == "POST /upload 2000000 \(digest(upload))")
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await send(.get, "/bytes/1").1.count } }
            for try await count in group { #expect(count == 1) }
        }
        if form.versions == .http2 { #expect(transport.statistics.opened == 1) }
    }
}

/// What was seen with which version, for the documentation.
enum FrontTable {
    /// The file that lines are added to; nil where nobody wants them.
    private static let path = ProcessInfo.processInfo.environment["BLUEBONNET_INTEROP_TABLE"]

    static var isWanted: Bool { self.path != nil }

    static func add(server: String, version: String, form: String) {
        guard let path, let file = fopen(path, "a") else { return }
        fputs("\(server)\t\(version)\t\(form)\n", file)
        fclose(file)
    }
}
