// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport

/// Descriptions of events, for `--debug`.
enum EventText {
    /// Returns a short description of an event; nil for an event that is not reported.
    static func text(of event: CallEvent) -> String? {
        switch event {
        case .callStarted: "the call begins"
        case .exchangeStarted(let request):
            "\(request.method.rawValue) \(request.url.host() ?? "")\(request.url.path())"
        case .responseReceived(let status, let headers, _): "status \(status.code), \(headers.count) header fields"
        case .exchangeFailed(let error): "the exchange failed: \(error.reason)"
        case .redirected(let request): "redirected to \(request.url.host() ?? "")\(request.url.path())"
        case .retryScheduled(let failed): "attempt \(failed.number) failed, the next in \(ByteText.span(failed.delay))"
        case .retryRefused(let refusal): "not sent again: \(refusal.rawValue)"
        case .responseBodyEnded(let count, _): "the body has \(ByteText.size(count))"
        case .callEnded: "the call ends"
        case .callFailed(let error): "the call failed: \(error.reason)"
        case .callCancelled: "the call was cancelled"
        case .transport(let event): Self.text(of: event)
        default: nil
        }
    }

    private static func text(of event: TransportEvent) -> String? {
        switch event {
        case .proxySelected(let proxy): "through the proxy \(proxy)"
        case .resolveStarted(let host): "looking up \(host)"
        case .resolveEnded(let addresses): "addresses: \(addresses.joined(separator: ", "))"
        case .attemptStarted(let address): "connecting to \(address)"
        case .attemptEnded(let address): "connected to \(address)"
        case .attemptFailed(let address, let error): "no connection to \(address): \(error.reason)"
        case .tunnelStarted: "asking the proxy for a tunnel"
        case .tunnelEnded: "the tunnel is open"
        case .tlsHandshakeStarted(let host): "TLS handshake with \(host)"
        case .tlsHandshakeEnded(let chosen): "TLS handshake done, protocol \(chosen ?? "not chosen")"
        case .connectionAcquired(let id, let isReused): "connection \(id)\(isReused ? ", which was open" : "")"
        case .requestHeadEnded(let head): "the head of the request is sent, as \(head.httpVersion.rawValue)"
        case .requestBodyEnded(let count): "the body of the request is sent, \(ByteText.size(count))"
        case .informational(let status): "informational response \(status.code)"
        case .responseHeadEnded(let status): "the head of the response is there, status \(status.code)"
        case .responseBodyEnded(let count): "the body of the response is there, \(ByteText.size(count))"
        case .retried(let error): "another connection, because: \(error.reason)"
        case .failed(let error): "the exchange failed: \(error.reason)"
        case .cancelled: "the exchange was cancelled"
        default: nil
        }
    }
}
