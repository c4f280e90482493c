// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// A transport that responds from an archive, without a socket.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: URL(filePath: "users.har"))
/// let session = Session(transport: ReplayTransport(archive))
/// ```
///
/// A request without a matching entry fails with `TransportError.Code.invalidRequest`, and the error says what was
/// expected. It fulfills the contract of `Transport`: a cancelled task gets a `CancellationError`, a request whose body
/// is not read within its `total` limit fails with `TransportError.Code.timedOut`, and after ``shutdown()`` every
/// exchange fails.
public final class ReplayTransport: Transport {
    /// Which entry responds to a request.
    public struct Matching: Sendable {
        fileprivate enum Kind {
            case inOrder
            case anyOrder
            case rule(@Sendable (TransportRequest, HTTPArchive.Entry) -> Bool)
        }

        fileprivate let kind: Kind

        /// Strict: requests must arrive in the order of the archive, with its methods, URLs and bodies, each once.
        public static let inOrder = Matching(kind: .inOrder)

        /// The first unused entry with the method, URL and body of the request; if all are used, the last such entry.
        public static let anyOrder = Matching(kind: .anyOrder)

        /// Like ``anyOrder``, with a custom rule.
        ///
        /// - Parameter rule: Returns whether an entry matches a request.
        /// - Returns: The matching.
        public static func rule(_ rule: @escaping @Sendable (TransportRequest, HTTPArchive.Entry) -> Bool) -> Matching {
            Matching(kind: .rule(rule))
        }
    }

    private struct State {
        var isUsed: [Bool]
        var isShutDown = false
    }

    private let archive: HTTPArchive
    private let matching: Matching
    private let redaction: Redaction
    /// The requests of the entries without what the redaction hides, which takes time; none if a rule compares them.
    private let expected: [HTTPArchive.Request]
    private let state: Mutex<State>

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - matching: Which entry responds to a request; strictly in order unless given.
    ///   - redaction: What the archive omits; it is ignored when URLs and bodies are compared.
    public init(_ archive: HTTPArchive, matching: Matching = .inOrder, redaction: Redaction = .secrets) {
        self.archive = archive
        self.matching = matching
        self.redaction = redaction
        if case .rule = matching.kind {
            self.expected = []
        } else {
            self.expected = archive.entries.map { $0.request.hiding(redaction) }
        }
        self.state = Mutex(State(isUsed: archive.entries.map { _ in false }))
    }

    /// The entries that no request has used, for a test that requires all to be used.
    public var unusedEntries: [HTTPArchive.Entry] {
        let isUsed = self.state.withLock { $0.isUsed }
        return zip(self.archive.entries, isUsed).filter { !$1 }.map(\.0)
    }

    /// Supported: there is no server to evaluate, so a session's pins and policies have no effect.
    public var trustSupport: TrustSupport { .supported(standing: nil) }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        return try await request.within(limitsOf: [.total]) { try await self.replay(request) }
    }

    private func replay(_ request: TransportRequest) async throws -> TransportResponse {
        let asked = HTTPArchive.Request(
            method: request.method,
            url: "\(request.origin)\(request.target)",
            headers: request.headers,
            body: HTTPArchive.Body(try await request.body.bytes(upTo: Self.largestBody))
        )
        let entry = try self.take(request, asked.hiding(self.redaction), byteCount: asked.body.byteCount)
        guard let response = entry.response else {
            throw Self.failure(of: entry)
        }
        return try self.answer(response, to: request)
    }

    public func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
    }

    /// The recorded failure; what is not known about it is assumed to be the loss of the connection after the request
    /// was sent.
    private static func failure(of entry: HTTPArchive.Entry) -> TransportError {
        let kind =
            entry.failureKind
            ?? HTTPArchive.FailureKind(.connectionClosed, phase: .responseHead, isRequestSent: true)
        let reason = "the recorded exchange failed: \(entry.failure ?? "for no known reason")"
        return TransportError(kind.code, phase: kind.phase, reason: reason, isRequestSent: kind.isRequestSent)
    }

    private static let largestBody = 256 * 1024 * 1024

    /// Takes the entry that matches a request, given in its redacted form as well and with the length of its body
    /// before redaction.
    private func take(
        _ request: TransportRequest,
        _ asked: HTTPArchive.Request,
        byteCount: Int64
    ) throws -> HTTPArchive.Entry {
        let entries = self.archive.entries
        var allowed: [Bool]?
        // The rule is the program's, so it is called outside the lock.
        if case .rule(let rule) = self.matching.kind { allowed = entries.map { rule(request, $0) } }
        let (isShutDown, index) = self.state.withLock { state -> (Bool, Int?) in
            if state.isShutDown { return (true, nil) }
            let index = self.choose(state.isUsed) { allowed?[$0] ?? self.matches($0, asked, byteCount) }
            if let index { state.isUsed[index] = true }
            return (false, index)
        }
        if isShutDown { throw TransportError(.shutDown, phase: .queue, reason: "the transport has been shut down") }
        guard let index else {
            throw TransportError(.invalidRequest, phase: .requestBody, reason: self.complaint(asked))
        }
        return entries[index]
    }

    private func matches(_ index: Int, _ asked: HTTPArchive.Request, _ byteCount: Int64) -> Bool {
        let expected = self.expected[index]
        return expected.hasSameMethodAndURL(as: asked) && expected.hasSameBody(as: asked, byteCount: byteCount)
    }

    private func choose(_ isUsed: [Bool], where matches: (Int) -> Bool) -> Int? {
        guard case .inOrder = self.matching.kind else {
            return isUsed.indices.first { !isUsed[$0] && matches($0) } ?? isUsed.indices.last(where: matches)
        }
        return isUsed.firstIndex(of: false).flatMap { matches($0) ? $0 : nil }
    }

    private func complaint(_ asked: HTTPArchive.Request) -> String {
        let start = "the archive has no answer for \(asked.method.rawValue) \(asked.url)"
        switch self.matching.kind {
        case .inOrder:
            return "\(start): \(self.expectation(instead: asked))"
        case .anyOrder:
            guard let index = self.expected.firstIndex(where: { $0.hasSameMethodAndURL(as: asked) }) else {
                return "\(start): none of its entries has this method and URL"
            }
            return "\(start): its entries with this method and URL have another body (entry \(index))"
        case .rule:
            return "\(start): the rule accepts none of its entries"
        }
    }

    /// What is expected where the order of the archive counts.
    private func expectation(instead asked: HTTPArchive.Request) -> String {
        let isUsed = self.state.withLock { $0.isUsed }
        guard let next = isUsed.firstIndex(of: false) else { return "all its entries are used up" }
        let expected = self.archive.entries[next].request
        let hint = expected.hasSameMethodAndURL(as: asked) ? " with another body" : ""
        return "it expects \(expected.method.rawValue) \(expected.url)\(hint) next (entry \(next))"
    }

    /// Returns the recorded response in the form of a transport's.
    private func answer(
        _ response: HTTPArchive.Response,
        to request: TransportRequest
    ) throws(TransportError) -> TransportResponse {
        guard response.body.isComplete else {
            throw TransportError(
                .invalidRequest,
                phase: .responseBody,
                reason: response.body.absence
            )
        }
        let count = response.body.bytes.readableBytes
        if case .collected(let limit) = request.responseMode {
            guard count <= limit else {
                throw TransportError(
                    .responseTooLarge,
                    phase: .responseBody,
                    reason: "the response's body is larger than the limit of \(limit) bytes",
                    isRequestSent: true
                )
            }
            if response.isBodyAbandoned { throw AbandonedBody.end }
        }
        var headers = response.headers
        // The archive contains the body without transfer codings, and usually without content codings.
        if !response.isBodyEncoded { headers[.contentEncoding] = nil }
        headers[.transferEncoding] = nil
        if response.isBodyAbandoned {
            let length = headers[.contentLength].flatMap { Int64($0) }
            let body = ResponseBody(source: AbandonedBody(response.body.bytes), expectedLength: length)
            return TransportResponse(status: response.status, headers: headers, body: body)
        }
        if headers[.contentLength] != nil, request.method != .head { headers[.contentLength] = "\(count)" }
        return TransportResponse(
            status: response.status,
            headers: headers,
            body: ResponseBody(response.body.bytes, trailers: response.trailers.isEmpty ? nil : response.trailers)
        )
    }
}
