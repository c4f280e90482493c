// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import NIOCore
import Testing

/// A server before an origin that reports what it received, and one way to speak to it.
struct Front: Sendable {
    /// The servers that this run asks: all where the documentation is made of it, else those that are installed for every run.
    static let kinds: [ExternalServer.Kind] =
        FrontTable.isWanted
        ? [.apacheFront, .caddy, .haproxy, .h2o, .nghttpd, .nginxFront, .squidFront, .varnishFront]
        : [.apacheFront, .nginxFront]

    var kind: ExternalServer.Kind
    var server: ExternalServer
    var url: URL
    var versions: NIOTransport.HTTPVersions
    var tls: TLSOptions.Version?

    var isHTTP2: Bool { self.versions == .http2 }

    /// The name of the column in the documentation.
    var form: String {
        let version = self.isHTTP2 ? "HTTP/2" : "HTTP/1.1"
        return self.tls.map { "\(version), TLS \($0 == .tls12 ? "1.2" : "1.3")" } ?? version
    }

    var origin: Origin {
        Origin(scheme: self.tls == nil ? .http : .https, host: "localhost", port: self.url.port)
    }

    /// Every way to speak to a server.
    static func all(_ kind: ExternalServer.Kind, _ server: ExternalServer) -> [Front] {
        var fronts = [Front]()
        // nghttpd speaks nothing but HTTP/2.
        if kind != .nghttpd { fronts.append(Front(kind: kind, server: server, url: server.http, versions: .http1)) }
        if let url = server.http2 { fronts.append(Front(kind: kind, server: server, url: url, versions: .http2)) }
        fronts += Self.secure(kind, server, server.https, .http1)
        fronts += Self.secure(kind, server, server.https2, .http2)
        return fronts
    }

    /// Both versions of TLS, on a port where there is one.
    static func secure(
        _ kind: ExternalServer.Kind,
        _ server: ExternalServer,
        _ url: URL?,
        _ versions: NIOTransport.HTTPVersions
    ) -> [Front] {
        guard let url else { return [] }
        return [TLSOptions.Version.tls12, .tls13].map { version in
            Front(kind: kind, server: server, url: url, versions: versions, tls: version)
        }
    }

    /// Gives a transport that speaks this way to the server alone, and shuts it down afterwards.
    func withTransport<Output>(
        _ change: (inout NIOTransport.Configuration) -> Void = { _ in },
        _ body: (NIOTransport) async throws -> Output
    ) async throws -> Output {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.httpVersions = self.versions
        if let tls {
            configuration.tls.additionalRoots = [.pemFile(try #require(self.server.root))]
            (configuration.tls.minimumVersion, configuration.tls.maximumVersion) = (tls, tls)
        }
        change(&configuration)
        let transport = NIOTransport(configuration: configuration)
        let result: Result<Output, any Error>
        do { result = .success(try await body(transport)) } catch { result = .failure(error) }
        await transport.shutdown()
        return try result.get()
    }

    /// Sends a request, and collects what comes back.
    func send(_ transport: NIOTransport, _ request: TransportRequest) async throws -> (TransportResponse, Data) {
        let response = try await transport.exchange(request)
        return (response, Data(try await response.body.collect(upTo: 1 << 24).readableBytesView))
    }

    /// Whether the server, or the origin behind it, says that it has received just these bytes.
    func hasReceived(_ data: Data, _ answer: Data) -> Bool {
        // nghttpd gives them back.
        if self.kind == .nghttpd { return answer == data }
        return String(decoding: answer, as: UTF8.self).hasPrefix("POST /upload \(data.count) \(digest(data))")
    }
}

/// What was seen with which version, for the documentation.
enum FrontTable {
    /// The file that lines are added to; nil where nobody wants them.
    private static let path = ProcessInfo.processInfo.environment["BLUEBONNET_INTEROP_TABLE"]

    static var isWanted: Bool { self.path != nil }

    /// Notes the form in which a server was spoken to, or what it did over which version of HTTP.
    static func add(server: String, version: String?, form: String, httpVersion: String = "") {
        guard let path, let file = fopen(path, "a") else { return }
        fputs("\(server)\t\(version ?? "unknown")\t\(form)\t\(httpVersion)\n", file)
        fclose(file)
    }
}
