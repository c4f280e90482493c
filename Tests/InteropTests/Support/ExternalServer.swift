// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Testing

/// A server that nobody here wrote, run as a process of its own for the length of one test.
struct ExternalServer: Sendable {
    /// What a server says about itself once it answers.
    struct Facts: Decodable, Sendable {
        /// The port that speaks plain HTTP.
        var http: Int?
        /// The port that speaks TLS.
        var https: Int?
        /// The port that speaks HTTP/2 from the first byte.
        var http2: Int?
        /// The port that speaks HTTP/2 over TLS.
        var https2: Int?
        /// The port that speaks HTTP/2 and sends GOAWAY after three responses.
        var limitedHTTP2: Int?
        /// The port whose connections end after three responses.
        var limited: Int?
        /// The port that speaks TLS with a certificate for another host.
        var misnamed: Int?
        /// The ports of the proxies that want credentials, and of those that speak SOCKS.
        var locked: Int?
        var socks: Int?
        var lockedSocks: Int?
        /// The path of a Unix socket that speaks plain HTTP.
        var unixSocket: String?
        /// The port that speaks TLS to clients with a certificate.
        var mutual: Int?
        /// The command of a shell that has the server read its configuration again.
        var reload: String?
        /// The ports that speak one version of TLS each.
        var only12: Int?
        var only13: Int?
        /// The path of the root that signed the certificate.
        var root: String?
        /// The version of the server, where it says so.
        var version: String?
        /// Why there is no server.
        var error: String?
    }

    /// A server that could not be started: what is missing, and the command that installs it.
    struct NotStarted: Error, CustomStringConvertible {
        var description: String
    }

    /// The servers there are.
    enum Kind: String {
        /// nginx over the folder `www`.
        case nginx
        /// Apache httpd with Digest and Basic, for the user `ada` with the password `s3cret`.
        case apache
        /// nginx on ports that want client certificates, or speak one version of TLS.
        case mutual
        /// `python3 -m http.server` over the folder `www`.
        case files
        /// Python's `http.server` with handlers that digest bodies and parse forms with the `email` package.
        case bodies
        /// Werkzeug's server, which says what it finds in a form.
        case werkzeug = "werkzeug_forms"
        /// The same with aiohttp.
        case aiohttp = "aiohttp_forms"
        /// aiohttp's server, which sets cookies and says which it gets.
        case cookies

        /// aiohttp's server, with event streams that it cuts.
        case events = "aiohttp_events"
        /// aiohttp's server, in plain and for clients with a certificate.
        case aiohttpServer = "aiohttp_server"
        /// tuspyserver, which takes uploads over the tus protocol.
        case tus
        /// tinyproxy and microsocks, each with and without credentials.
        case proxies
        /// Two squid with credentials: one that asks for Digest, and, as `locked`, one that takes Digest and Basic.
        case squid
        /// Hypercorn, which speaks HTTP/2.
        case hypercorn = "hypercorn_http2"
        /// The same, with event streams that it cuts, and a first request that it never answers.
        case hypercornEvents = "hypercorn_events"
        /// httpbin.
        case httpbin = "httpbin_server"
        /// Varnish, in front of a server that counts its requests.
        case varnish
        /// Servers before an origin that says what it was sent.
        case caddy, haproxy, h2o
        case apacheFront = "apache_front"
        case nginxFront = "nginx_front"
        case squidFront = "squid front"
        case varnishFront = "varnish front"
        /// nghttpd over a folder; it gives uploads back.
        case nghttpd

        /// What it is called among the fronts.
        var frontName: String {
            switch self {
            case .apacheFront: "Apache httpd"
            case .nginxFront: "nginx"
            default: self.rawValue.replacing(" front", with: "")
            }
        }

        /// What it is called where the documentation says which version was seen; nil for fronts, and where nobody is told.
        var originName: String? {
            switch self {
            case .nginx: "nginx"
            case .apache: "Apache httpd"
            case .hypercorn: "Hypercorn"
            case .aiohttpServer: "aiohttp"
            case .proxies: "tinyproxy"
            case .squid: "squid"
            case .varnish: "varnish"
            default: nil
            }
        }
    }

    /// The base of its URLs, for example `http://localhost:49152`.
    let http: URL
    /// The same over TLS.
    let https: URL?
    /// The base of URLs over HTTP/2, without TLS and with it.
    let http2: URL?
    let https2: URL?
    /// A server that speaks HTTP/2 and ends every connection after its third response.
    let limitedHTTP2: URL?
    /// A plain server that closes every connection after its third response.
    let limited: URL?
    /// The same over TLS, with a certificate for another host.
    let misnamed: URL?
    /// Over TLS, for clients with a certificate.
    let mutual: URL?
    /// The command of a shell that has the server read its configuration again.
    let reload: String?
    /// Over TLS of one version.
    let only12: URL?
    let only13: URL?
    /// The path of the only root that the certificate can be verified with.
    let root: String?
    /// The version of the server, where it says so.
    let version: String?
    /// The path of a Unix socket that speaks plain HTTP.
    let unixSocket: String?
    /// The port of an HTTP proxy, or of whatever else speaks plain HTTP.
    let port: Int
    /// The port of an HTTP proxy that wants the user `ada` with the password `s3cret`.
    let lockedPort: Int?
    /// The port of a SOCKS proxy.
    let socksPort: Int?
    /// The port of a SOCKS proxy that wants the same user and password.
    let lockedSocksPort: Int?
    /// Where the server finds its files.
    let files: URL

    private init(facts: Facts, folder: URL) throws {
        func base(_ scheme: String, _ port: Int?) -> URL? {
            port.flatMap { URL(string: "\(scheme)://localhost:\($0)") }
        }
        guard let port = facts.http, let http = base("http", port) else {
            throw NotStarted(description: facts.error ?? "the server said nothing")
        }
        self.http = http
        self.https = base("https", facts.https)
        self.http2 = base("http", facts.http2)
        self.https2 = base("https", facts.https2)
        self.limitedHTTP2 = base("http", facts.limitedHTTP2)
        self.limited = base("http", facts.limited)
        self.misnamed = base("https", facts.misnamed)
        self.mutual = base("https", facts.mutual)
        self.reload = facts.reload
        self.only12 = base("https", facts.only12)
        self.only13 = base("https", facts.only13)
        self.root = facts.root
        self.version = facts.version
        self.unixSocket = facts.unixSocket
        self.port = port
        self.lockedPort = facts.locked
        self.socksPort = facts.socks
        self.lockedSocksPort = facts.lockedSocks
        self.files = folder.appending(path: "www")
    }

    /// Starts a server, waits until it answers, and ends it with the body, however that ends.
    static func run<Output>(
        _ kind: Kind,
        _ body: (ExternalServer) async throws -> Output
    ) async throws -> Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-interop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "www"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }

        // The name of a script, and what it is to be where it can be several servers.
        let words = kind.rawValue.split(separator: " ").map(String.init)
        let script = try #require(Bundle.module.url(forResource: "Servers", withExtension: nil))
            .appending(path: "\(words[0]).py")
        let argument = kind == .files ? folder.appending(path: "www") : folder
        let child = Process()
        child.executableURL = URL(filePath: "/usr/bin/env")
        child.arguments = ["python3", script.path(), argument.path()] + words.dropFirst()
        let (input, output) = (Pipe(), Pipe())
        child.standardInput = input
        child.standardOutput = output
        try child.run()

        // The script ends itself and its server when its standard input ends; it does so too when this process dies.
        let result: Result<Output, any Error>
        do {
            let line = try await Self.firstLine(of: output.fileHandleForReading)
            let facts = try JSONDecoder().decode(Facts.self, from: line)
            result = .success(try await body(ExternalServer(facts: facts, folder: folder)))
            if let name = kind.originName {
                FrontTable.add(server: name, version: facts.version, form: "origin")
            }
        } catch {
            result = .failure(error)
        }
        try? input.fileHandleForWriting.close()
        await Self.end(of: child)
        return try result.get()
    }

    /// Reads up to the first line break, on a thread that may wait.
    private static func firstLine(of handle: FileHandle) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                var line = Data()
                while line.last != UInt8(ascii: "\n"), let next = try? handle.read(upToCount: 1), !next.isEmpty {
                    line += next
                }
                if line.isEmpty {
                    let reason = "python3 did not start; `scripts/setup test` installs it, or: apt-get install python3"
                    continuation.resume(throwing: NotStarted(description: reason))
                } else {
                    continuation.resume(returning: line)
                }
            }
        }
    }

    /// Waits for the end of a process, on a thread that may wait.
    static func end(of child: Process) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                child.waitUntilExit()
                continuation.resume()
            }
        }
    }
}
