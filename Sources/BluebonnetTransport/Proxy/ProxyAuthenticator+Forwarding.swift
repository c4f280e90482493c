// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

extension ProxyAuthenticator {
    /// Returns the credentials for a request to a forwarding proxy; nil to send none.
    func authorization(
        for request: TransportRequest,
        to proxy: Proxy
    ) throws(TransportError) -> ProxyAuthorization? {
        try self.authorization(
            for: proxy,
            method: request.method,
            target: HTTP1RequestEncoder.absoluteTarget(of: request),
            body: request.body,
            answering: request.proxyAnswer
        )
    }

    /// Processes a response from a forwarding proxy, and sets the answer to its challenge.
    ///
    /// - Throws: ``TransportError/Code/proxyFailed`` if the proxy's proof that it knows the password is wrong.
    func take(
        _ response: inout TransportResponse,
        from proxy: Proxy,
        to authorization: ProxyAuthorization?
    ) throws(TransportError) {
        if response.status == .proxyAuthenticationRequired {
            response.proxyAnswer = self.answer(to: response.headers, from: proxy, after: authorization)
        } else if let authorization, !self.accept(response.headers, from: proxy, to: authorization) {
            response.body.abandon()
            throw .unprovenProxy(proxy, phase: .responseHead)
        }
    }
}

extension DigestSession {
    /// The hash function for a request's body; nil if the answers do not cover it.
    var bodyHash: DigestAlgorithm.Hash? {
        self.challenge.quality == .integrity ? self.challenge.algorithm.hash : nil
    }
}

extension TransportBody {
    /// Returns the digest of the body, if it can be computed without a file or a reader.
    func digestInMemory(_ hash: DigestAlgorithm.Hash) -> String? {
        var hasher = DigestHasher(hash)
        switch self {
        case .none: break
        case .bytes(let bytes): bytes.withUnsafeReadableBytes { hasher.update($0) }
        case .reader, .file: return nil
        }
        return hasher.finalize()
    }
}

extension TransportError {
    /// The answer covers a body that the transport does not read twice.
    static func bodyIsNotCovered(_ proxy: Proxy) -> TransportError {
        .invalid("the proxy \(proxy) wants a digest of the body, and this body is read while it is sent")
    }

    /// A proxy sent a wrong proof that it knows the password.
    static func unprovenProxy(_ proxy: Proxy, phase: Phase) -> TransportError {
        var error = TransportError.proxyFailed(proxy, "sent a wrong proof that it knows the password")
        (error.phase, error.isRequestSent) = (phase, phase != .connect)
        return error
    }
}
