// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import NIOCore

/// Reads the body of a response through a parser, one element at a time.
///
/// The first error ends the stream, and nothing follows. The rest of the body is abandoned if the error is the reader's own.
/// An error of the body is left to the body, which has ended, or has refused a second reader beside one that goes on.
struct StreamReader<Parser: StreamParser> {
    private enum State {
        case reading, finishing, over
    }

    private(set) var parser: Parser
    private let body: ResponseBody
    /// The response without its body, for an error.
    private let head: StreamedResponse
    private var buffers: ResponseBody.AsyncIterator
    private var state = State.reading
    /// The content codings of the body, which were not decoded; nil if there are none.
    private let codings: String?
    /// Whether an error ends the body, too: only after it has given bytes to this reader, because it may be another's before.
    ///
    /// An error that the body throws ends it already, or concerns this reader alone.
    private var ownsBody = false

    init(_ response: StreamedResponse, _ parser: Parser) {
        self.parser = parser
        self.codings = response.headers.knownContentCodings
        self.body = response.body
        var head = response
        head.body = .empty
        self.head = head
        self.buffers = response.body.makeAsyncIterator()
    }

    /// Waits for the next element; nil at the end of the body.
    ///
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled, even if elements have arrived.
    mutating func next() async throws -> Parser.Element? {
        do {
            while true {
                // Checked each time: a body with bytes available may never contain an element.
                try Task.checkCancellation()
                switch self.state {
                case .reading:
                    if let element = try self.parser.next() { return element }
                    self.ownsBody = false
                    if let buffer = try await self.buffers.next() {
                        self.ownsBody = true
                        try self.checkCodings()
                        self.parser.append(buffer)
                    } else {
                        self.state = .finishing
                    }
                case .finishing:
                    self.state = .over
                    return try self.parser.finish()
                case .over:
                    return nil
                }
            }
        } catch {
            throw self.fail(error)
        }
    }

    /// Refuses bytes that are neither text nor events nor documents until their content coding is decoded.
    private func checkCodings() throws(SessionError) {
        guard let codings else { return }
        throw SessionError(
            .decompressionFailed,
            reason: "the body has the content coding \(codings), which was not decoded",
            phase: .responseBody,
            isRequestSent: true
        )
    }

    /// Ends the stream with an error, which may concern an element returned before.
    mutating func fail(_ error: any Error) -> any Error {
        self.state = .over
        if self.ownsBody { self.body.abandon() }
        return self.head.bodyFailure(error)
    }
}
