// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials
import HTTPTypes

/// Gets tokens from an OAuth 2 token endpoint (RFC 6749) with a refresh token or with the client's own credentials.
///
/// The endpoint must be reached over https; http is accepted for the loopback addresses, 127.0.0.0/8 and ::1, and for
/// `localhost` alone.
///
/// ```swift
/// let client = OAuth2.Client(id: "app", secret: secret)
/// let tokens = TokenSource(OAuth2.clientCredentials(endpoint: url, client: client, scope: ["read"]))
/// ```
public struct OAuth2: Authenticator {
    /// The client, as it was registered (RFC 6749 section 2).
    public struct Client: Sendable, Hashable {
        /// How the client proves its identity (section 2.3.1).
        public enum Authentication: Sendable, Hashable {
            /// With Basic; every server supports it.
            case basic
            /// With parameters of the form.
            case form
        }

        let id: String
        let secret: String?
        let authentication: Authentication

        /// Creates a client.
        ///
        /// - Parameters:
        ///   - id: The identifier.
        ///   - secret: The secret; nil for a public client, which sends its identifier alone.
        ///   - authentication: How identifier and secret are sent: with Basic unless given.
        public init(id: String, secret: String? = nil, authentication: Authentication = .basic) {
            self.id = id
            self.secret = secret
            self.authentication = authentication
        }
    }

    private enum Grant: Sendable {
        case refreshToken, clientCredentials
    }

    private let grant: Grant
    private let endpoint: URL
    private let client: Client
    private let scope: [String]

    /// Refreshes with the refresh token of the previous token (section 6).
    ///
    /// The ``TokenSource`` needs a first token with a refresh token. A new refresh token from the server replaces it.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the token endpoint.
    ///   - client: The client.
    ///   - scope: The scope to request; by default, the scope granted before.
    /// - Returns: The authenticator.
    public static func refreshToken(endpoint: URL, client: Client, scope: [String] = []) -> OAuth2 {
        OAuth2(grant: .refreshToken, endpoint: endpoint, client: client, scope: scope)
    }

    /// Gets tokens for the client itself (section 4.4).
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the token endpoint.
    ///   - client: The client, which needs a secret.
    ///   - scope: The scope to request; by default, that of the server.
    /// - Returns: The authenticator.
    public static func clientCredentials(endpoint: URL, client: Client, scope: [String] = []) -> OAuth2 {
        OAuth2(grant: .clientCredentials, endpoint: endpoint, client: client, scope: scope)
    }

    /// Requests a token from the endpoint.
    ///
    /// - Parameters:
    ///   - token: The previous token.
    ///   - context: Sends the request.
    /// - Returns: The token.
    /// - Throws: ``OAuth2Error``; ``SessionError`` if there was no response.
    public func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
        let response = try await context.response(for: try self.request(token))
        return try TokenResponse(response).token(after: token, context.clock)
    }

    private func request(_ token: AccessToken?) throws -> Request {
        guard try RequestTarget(self.endpoint).origin.isProtected else {
            throw OAuth2Error(.insecureEndpoint, reason: "the token endpoint must be reached over https")
        }
        var form: [(String, String)] = []
        switch self.grant {
        case .clientCredentials: form.append(("grant_type", "client_credentials"))
        case .refreshToken:
            guard let refreshToken = token?.refreshToken else {
                throw OAuth2Error(.noRefreshToken, reason: "there is no refresh token; the account has to log in again")
            }
            form += [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
        }
        if !self.scope.isEmpty { form.append(("scope", self.scope.joined(separator: " "))) }
        var request = Request(method: .post, url: self.endpoint)
        request.headers = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        if let secret = self.client.secret, self.client.authentication == .basic {
            // Section 2.3.1: both are encoded as a form's values are, before they become Basic credentials.
            let pair = "\(Self.encoded(self.client.id)):\(Self.encoded(secret))"
            request.headers[.authorization] = "Basic \(Data(pair.utf8).base64EncodedString())"
        } else {
            form.append(("client_id", self.client.id))
            if let secret = self.client.secret { form.append(("client_secret", secret)) }
        }
        let pairs = form.map { "\($0.0)=\(Self.encoded($0.1))" }
        request.body = .data(Data(pairs.joined(separator: "&").utf8))
        return request
    }

    /// `application/x-www-form-urlencoded` (RFC 6749 appendix B).
    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case _ where byte.isASCIIAlphanumeric || "-._".utf8.contains(byte): bytes.append(byte)
            case 0x20: bytes.append(UInt8(ascii: "+"))
            default: bytes.append(tripletOf: byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// The default mirrors would print the secret.
extension OAuth2.Client: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The identifier of the client.
    public var description: String { "OAuth 2 client \(self.id)" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["id": self.id]) }
}

extension OAuth2: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The grant and the client.
    public var description: String {
        switch self.grant {
        case .refreshToken: "refresh token of \(self.client)"
        case .clientCredentials: "client credentials of \(self.client)"
        }
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["grant": self.description]) }
}

extension Origin {
    /// Whether the connection is protected from other readers: over TLS, or within this machine.
    fileprivate var isProtected: Bool {
        // A name below localhost is not enough: the system may look it up elsewhere.
        self.scheme == .https || self.host == "localhost" || HostName.isLoopbackAddress(Array(self.host.utf8))
    }
}

/// The response of a token endpoint (RFC 6749 sections 5.1 and 5.2).
private struct TokenResponse {
    private let document: JSONValue

    init(_ response: Response) throws {
        let document = try? JSONParser().parse(response.body)
        guard response.status == .ok else {
            guard let document, let code = document["error"]?.string else {
                throw OAuth2Error(
                    .invalidResponse,
                    reason: "the token endpoint answered \(response.status.code) without an error document",
                    status: response.status
                )
            }
            throw OAuth2Error(
                OAuth2Error.Code(code),
                reason: document["error_description"]?.string ?? "the token endpoint refused",
                status: response.status
            )
        }
        guard let document else {
            throw OAuth2Error(.invalidResponse, reason: "the token endpoint's answer is not JSON", status: .ok)
        }
        self.document = document
    }

    func token(after old: AccessToken?, _ clock: SessionClock) throws -> AccessToken {
        guard let value = self.document["access_token"]?.string, !value.isEmpty else {
            throw OAuth2Error(.invalidResponse, reason: "the answer has no access_token", status: .ok)
        }
        // Section 7.1: a client must not use a token whose type it does not know.
        guard self.document["token_type"]?.string?.isASCIIWord("bearer") == true else {
            throw OAuth2Error(.unsupportedTokenType, reason: "the token's type is not Bearer", status: .ok)
        }
        return AccessToken(
            value,
            lifetime: self.lifetime,
            refreshToken: self.document["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? old?.refreshToken,
            clock: clock
        )
    }

    /// `expires_in`, a number of seconds, which some servers send as text; nil if it is not known.
    ///
    /// A token cannot have expired when it is issued. A number below one says nothing, as if it were absent: otherwise each
    /// call would need a new token.
    private var lifetime: Duration? {
        guard let value = self.document["expires_in"] else { return nil }
        let seconds = value.double ?? value.string.flatMap { Double($0) }
        guard let seconds, seconds.isFinite, seconds >= 1 else { return nil }
        return .seconds(min(seconds, 3_155_760_000))
    }
}
