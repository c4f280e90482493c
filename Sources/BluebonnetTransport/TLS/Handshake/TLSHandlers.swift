// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL

/// Makes the handlers that speak TLS on a connection.
enum TLSHandlers {
    /// One that verifies the chain as the TLS library does, and lets the path be seen.
    ///
    /// - Parameters:
    ///   - context: What the library verifies with.
    ///   - name: The server name; nil for an address.
    ///   - path: Sees the path.
    /// - Returns: The handler.
    /// - Throws: If the name may not be sent.
    static func verifying(
        context: NIOSSLContext,
        name: String?,
        path: VerifiedPath
    ) throws -> NIOSSLClientHandler {
        try Self.followed.make(context: context, name: name) { path.follow($0, $1) }
    }

    /// One that verifies nothing itself.
    ///
    /// - Parameters:
    ///   - context: What it speaks.
    ///   - name: The server name; nil for an address.
    ///   - verify: Given the certificates in DER as the peer has sent them, keeps the promise.
    /// - Returns: The handler.
    /// - Throws: If the name may not be sent.
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

/// What is deprecated is called through here.
private protocol FollowedHandlers {
    static func make(
        context: NIOSSLContext,
        name: String?,
        follow: @escaping NIOSSLVerificationCallback
    ) throws -> NIOSSLClientHandler
}

private enum LibraryHandlers: FollowedHandlers {
    // The successor of this callback replaces the library's verification instead of following it, and nothing else shows the
    // verified path. See VerifiedPath for the trap in it.
    @available(*, deprecated, message: "so that calling what is deprecated is no warning")
    static func make(
        context: NIOSSLContext,
        name: String?,
        follow: @escaping NIOSSLVerificationCallback
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: name, verificationCallback: follow)
    }
}
