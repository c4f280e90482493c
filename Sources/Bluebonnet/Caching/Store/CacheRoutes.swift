// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials

/// What a response depends on besides the URL: a Unix socket, the client certificate, and a Host field of the program.
///
/// Its mark is part of the key of a stored response. Without it, a response of one server would answer requests to
/// another, and a response to one client those of another, also between sessions that share a store.
final class CacheRoutes: Sendable {
    private let socketPath: String?
    /// The certificate of the session, which is sent only to a request's home origin.
    private let identity: ClientIdentity?
    /// The certificate of the session's engine, which is sent to every origin.
    private let engineIdentity: ClientIdentity?
    /// The mark of requests that name neither; empty where their session names neither.
    private let usual: String

    init(_ configuration: Session.Configuration) {
        let (options, engine) = (configuration.transportOptions, configuration.engine)
        // The engine's socket is for requests without a proxy of their own.
        let socketPath = options.unixSocketPath ?? (options.proxy == nil ? engine?.unixSocketPath : nil)
        self.socketPath = socketPath
        self.identity = options.clientIdentity
        self.engineIdentity = engine?.tls.clientIdentity
        self.usual = Self.mark(socketPath, options.clientIdentity ?? engine?.tls.clientIdentity)
    }

    /// The mark of a request; empty, the usual case, where the URL alone decides.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - own: Its own transport options.
    ///   - origin: The origin of its URL.
    ///   - home: The home origin of its session.
    /// - Returns: Digests in visible ASCII, each after a number sign and a name.
    func mark(of request: Request, _ own: TransportOptions?, _ origin: Origin, home: Origin?) -> String {
        let route = self.route(of: request, own, origin, home)
        guard let site = Self.site(of: request, origin) else { return route }
        return route + "#host=\(VariantSelection.digest(of: Array(site.utf8)))"
    }

    /// The site that a Host field of the program names, where it is not that of the URL.
    ///
    /// The field is part of the target URI (RFC 9110 section 7.1): one server may have many sites.
    private static func site(of request: Request, _ origin: Origin) -> String? {
        guard let field = request.headers.last(where: { $0.name.canonicalName == "host" }) else { return nil }
        var site = field.value.asciiLowercased
        // With and without the default port, and in any case, it is the same site.
        let port = ":\(origin.scheme.defaultPort)"
        if site.utf8.suffix(port.utf8.count).elementsEqual(port.utf8) { site.removeLast(port.utf8.count) }
        return site.utf8.elementsEqual(origin.authority.utf8) ? nil : site
    }

    private func route(of request: Request, _ own: TransportOptions?, _ origin: Origin, _ home: Origin?) -> String {
        let isWithheld = self.identity != nil && Self.withholdsIdentity(from: request, origin, home)
        guard isWithheld || own?.unixSocketPath != nil || own?.clientIdentity != nil else { return self.usual }
        let standing = isWithheld ? self.engineIdentity : self.identity ?? self.engineIdentity
        return Self.mark(own?.unixSocketPath ?? self.socketPath, own?.clientIdentity ?? standing)
    }

    /// Whether the session's certificate is not sent with a request.
    private static func withholdsIdentity(from request: Request, _ origin: Origin, _ home: Origin?) -> Bool {
        HomeOrigin.isLeft(by: request, to: origin, in: home)
            || LeftOrigins.loss(of: request, at: origin)?.hasClientIdentity ?? false
    }

    private static func mark(_ socketPath: String?, _ identity: ClientIdentity?) -> String {
        let socket = socketPath.map { "#socket=\(VariantSelection.digest(of: Array($0.utf8)))" }
        let client = identity.map { "#identity=\(Self.digest(of: $0))" }
        return (socket ?? "") + (client ?? "")
    }

    private static func digest(of identity: ClientIdentity) -> String {
        switch identity.certificates {
        case .bytes(let bytes): VariantSelection.digest(of: bytes)
        case .file(let path): VariantSelection.digest(of: Array("\(Self.processID) \(path)".utf8))
        }
    }

    /// Identifies this process: a later process may load another certificate from the same file, and must not find
    /// responses to this one.
    private static let processID = UUID().uuidString
}
