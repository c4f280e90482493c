// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL

/// Creates the TLS handlers of a connection.
enum TLSHandlers {
    /// Creates a handler that verifies the chain as the TLS library does, and reports the path.
    ///
    /// - Parameters:
    ///   - context: The TLS context that verifies.
    ///   - name: The server name; nil for an address.
    ///   - path: Receives the path.
    /// - Returns: The handler.
    /// - Throws: An error if the name cannot be sent.
    static func verifying(
        context: NIOSSLContext,
        name: String?,
        path: VerifiedPath
    ) throws -> NIOSSLClientHandler {
        try Self.followed.make(context: context, name: name) { path.follow($0, $1) }
    }

    /// Creates a handler that verifies nothing itself.
    ///
    /// - Parameters:
    ///   - context: The TLS context.
    ///   - name: The server name; nil for an address.
    ///   - verify: Receives the peer's certificates in DER, and completes the promise.
    /// - Returns: The handler.
    /// - Throws: An error if the name cannot be sent.
    static func unverifying(
        context: NIOSSLContext,
        name: String?,
        verify: @escaping ([[UInt8]], EventLoopPromise<NIOSSLVerificationResult>) -> Void
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: name) { certificates, promise in
            do {
                verify(try certificates.map { try $0.toDERBytes() }, promise)
            } catch {
                promise.fail(error)
            }
        }
    }

    private static var followed: any FollowedHandlers.Type { LibraryHandlers.self }
}

/// The deprecated function is called through this protocol.
private protocol FollowedHandlers {
    static func make(
        context: NIOSSLContext,
        name: String?,
        follow: @escaping NIOSSLVerificationCallback
    ) throws -> NIOSSLClientHandler
}

private enum LibraryHandlers: FollowedHandlers {
    // The successor of this callback replaces the library's verification instead of following it, and nothing else
    // reports the verified path. VerifiedPath describes a pitfall.
    @available(*, deprecated, message: "so that calling what is deprecated is no warning")
    static func make(
        context: NIOSSLContext,
        name: String?,
        follow: @escaping NIOSSLVerificationCallback
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: name, verificationCallback: follow)
    }
}
