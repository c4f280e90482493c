// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

extension TransportRequest {
    /// Writes a request down as the transport wants it, and refuses what may not go onto the wire.
    ///
    /// - Parameters:
    ///   - request: The request after all interceptors.
    ///   - timeouts: The session's limits.
    ///   - context: How the response is wanted, who watches, and how long there is left.
    /// - Throws: `SessionError` with `invalidURL`, `invalidRequest`, `bodyFailed`, or `timedOut` if there is no time left.
    init(_ request: Request, timeouts: Timeouts, _ context: ExchangeContext) throws(SessionError) {
        do {
            let target = try RequestTarget(request.url)
            self.init(
                method: request.method,
                origin: target.origin,
                target: target.target,
                headers: request.headers,
                body: TransportBody(request.body, monitor: context.monitor),
                responseMode: context.responseMode,
                timeouts: try Self.timeouts(timeouts, request.options, deadline: context.deadline)
            )
            try Self.check(request)
            self.usesPipelining = request.options.usesPipelining ?? false
            if context.decodesContent { self.acceptCoding() }
            if let userInfo = target.userInfo { try self.authorize(userInfo) }
        } catch {
            var error = error
            error.request = SessionError.FailedRequest(request)
            throw error
        }
    }

    /// Asks for a compressed response.
    ///
    /// A range of one could not be decoded (RFC 9110 section 14.2).
    private mutating func acceptCoding() {
        guard !self.headers.contains(.range) else { return }
        self.decodesContent = true
        if !self.headers.contains(.acceptEncoding) {
            self.headers[.acceptEncoding] = Self.acceptEncoding
        }
    }

    private static let acceptEncoding = Self.decodableCodings.joined(separator: ", ")

    /// What the types let through and no exchange can do.
    ///
    /// Names, values and methods with line breaks, NULs or spaces cannot be built: their types refuse them (RFC 9110 sections 5.1, 5.5 and
    /// 9.1), and transports check what they write once more.
    private static func check(_ request: Request) throws(SessionError) {
        guard request.method != .connect else {
            throw SessionError(.invalidRequest, reason: "CONNECT opens a tunnel and cannot be sent as a request")
        }
    }

    /// The request's own limits over the session's; of the total, what is left of it.
    private static func timeouts(
        _ defaults: Timeouts,
        _ options: RequestOptions,
        deadline: ContinuousClock.Instant?
    ) throws(SessionError) -> Timeouts {
        var timeouts = defaults
        if let idle = options.timeoutInterval { timeouts.idle = idle }
        if let deadline {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                throw SessionError(
                    .timedOut,
                    reason: "the time for the whole request was over before it could be sent",
                    phase: .total
                )
            }
            timeouts.total = left
        }
        return timeouts
    }

    /// Sends the URL's user information as Basic credentials (RFC 7617), unless the request brings its own.
    private mutating func authorize(_ userInfo: Substring) throws(SessionError) {
        guard !self.headers.contains(.authorization) else { return }
        let colon = userInfo.utf8.firstIndex(of: UInt8(ascii: ":"))
        let user = String(userInfo[..<(colon ?? userInfo.endIndex)])
        let password = colon.map { String(userInfo[userInfo.utf8.index(after: $0)...]) } ?? ""
        guard let plainUser = try? PercentDecoding.decode(user),
            let plainPassword = try? PercentDecoding.decode(password)
        else {
            throw RequestTarget.invalid("the URL's user information is not percent-encoded UTF-8")
        }
        // RFC 7617 section 2: the first colon ends the user name.
        guard !plainUser.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestTarget.invalid("a user name with a colon cannot be sent with Basic authentication")
        }
        let credentials = Data("\(plainUser):\(plainPassword)".utf8).base64EncodedString()
        self.headers[.authorization] = "Basic \(credentials)"
    }
}
