// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import NIOCore

/// Reads the body of a response through a parser, one element at a time.
///
/// The first error ends the stream: the rest of the body is abandoned, and nothing follows.
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

    init(_ response: StreamedResponse, _ parser: Parser) {
        self.parser = parser
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
                    if let buffer = try await self.buffers.next() {
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

    /// Ends the stream with an error, which may concern an element returned before.
    mutating func fail(_ error: any Error) -> any Error {
        self.state = .over
        self.body.abandon()
        return self.head.bodyFailure(error)
    }
}
