// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

extension TransportRequest {
    /// A request with the limits and options of a session, for its requests to begin with.
    static func template(_ configuration: Session.Configuration) -> TransportRequest {
        // Each request has its own origin and target.
        var template = TransportRequest(
            origin: Origin(scheme: .https, host: ""),
            target: "/",
            timeouts: configuration.sessionTimeouts
        )
        template.apply(configuration.transportOptions)
        return template
    }

    /// Turns the template of a session into the transport's form of a request, and refuses one that cannot be sent.
    ///
    /// In place, because the value is large.
    ///
    /// - Parameters:
    ///   - sent: The request after all interceptors; no header fields are added after this.
    ///   - target: Its URL, parsed.
    ///   - call: The call it belongs to.
    /// - Throws: `SessionError` with `invalidRequest` or `bodyFailed`, or `timedOut` if there is no time left.
    mutating func fill(_ sent: SentRequest, _ target: RequestTarget, _ call: Call) throws(SessionError) {
        let request = sent.base
        // Names, values and methods with line breaks, NULs or spaces cannot be created: their types refuse them (RFC
        // 9110 sections 5.1, 5.5 and 9.1), and transports check again what they write.
        guard request.method != .connect else {
            throw SessionError(.invalidRequest, reason: "CONNECT opens a tunnel and cannot be sent as a request")
        }
        if case .file(let url) = request.body, !url.isFileURL {
            throw SessionError(.bodyFailed, reason: "the URL of the body's file is not a file URL")
        }
        self.method = request.method
        self.origin = target.origin
        self.target = target.target
        self.headers = sent.headers
        self.body = TransportBody(request.body, monitor: call.handling.monitor)
        self.responseMode = request.arrivesInPieces ? .streamed : call.handling.responseMode
        self.heldByteCount = call.handling.heldByteCount
        self.observer = CallTransportObserver(call: call, body: self.body)
        self.usesPipelining = request.options.usesPipelining ?? false
        self.allowsCellularAccess = request.options.allowsCellularAccess ?? true
        self.trafficClass = request.options.networkServiceType.map { TrafficClass($0) } ?? .standard
        // A part of an encoded body could not be decoded (RFC 9110 section 14.2); a whole body that arrives instead is
        // decoded if the request says so.
        self.decodesContent =
            call.handling.decodesContent(of: request)
            && (request.options.decodesContent == true || !request.headers.contains(.range))
        // Both are still the session's, and may be secrets; they are checked first, because few sessions have either.
        if self.clientIdentity != nil || self.trailers != nil { self.withholdSecrets(from: request, call) }
        if !request.context.isEmpty, let options = request.context[TransportOptions.self] {
            self.apply(options)
            self.timeouts = self.timeouts.replaced(by: options.timeouts)
            if let algorithm = options.contentDigestTrailer { self.addContentDigest(algorithm, request.body, call) }
        }
        if let silence = request.options.timeoutInterval { self.timeouts.limitSilence(to: silence) }
        // The session's limit is part of the call's deadline, unless the request had its own; one that an interceptor
        // has set since can only be shorter.
        let own = request.ownTotalTimeout
        if let remaining = call.remaining {
            guard remaining > .zero else { throw call.passedDeadlineError }
            self.timeouts.total = min(own ?? remaining, remaining)
        } else if let own {
            self.timeouts.total = own
        }
    }

    /// Removes the client certificate and the trailer fields of the session where they may not be sent.
    private mutating func withholdSecrets(from request: Request, _ call: Call) {
        let isAway = HomeOrigin.isLeft(by: request, to: self.origin, in: call.environment.home)
        let loss = LeftOrigins.loss(of: request, at: self.origin)
        if isAway || loss?.hasClientIdentity ?? false { self.clientIdentity = nil }
        if isAway || loss?.hasTrailers ?? false { self.trailers = nil }
    }
}

extension Timeouts {
    /// Sets the idle limit, and lowers the limits on connecting to it; a longer idle limit does not raise them.
    mutating func limitSilence(to silence: Duration) {
        let before = self
        self.idle = silence
        self.resolve = min(before.resolve ?? silence, silence)
        self.connect = min(before.connect ?? silence, silence)
        self.tlsHandshake = min(before.tlsHandshake ?? silence, silence)
    }
}
