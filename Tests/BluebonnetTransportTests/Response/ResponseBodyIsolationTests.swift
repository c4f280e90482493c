// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore
import Synchronization
import Testing

/// Whether a loop over a body stays where it runs.
@Suite(.timeLimit(.minutes(1))) struct ResponseBodyIsolationTests {
    /// Gives three buffers, and notes whether it was asked on the main actor.
    private final class Source: ResponseBody.Source {
        private let answers = Mutex([Bool]())

        var wasAskedThere: [Bool] { self.answers.withLock { $0 } }

        func next() async throws -> ByteBuffer? {
            let isThere = #isolation === MainActor.shared
            let count = self.answers.withLock { answers in
                answers.append(isThere)
                return answers.count
            }
            return count <= 3 ? ByteBuffer(string: "a") : nil
        }
    }

    @Test @MainActor func `a loop on an actor does not leave it`() async throws {
        let source = Source()
        var count = 0
        for try await buffer in ResponseBody(source: source, expectedLength: nil) { count += buffer.readableBytes }
        #expect(count == 3)
        #expect(source.wasAskedThere == [true, true, true, true])
    }

    @Test @MainActor func `an iterator is asked where its caller runs`() async throws {
        let source = Source()
        var iterator = ResponseBody(source: source, expectedLength: nil).makeAsyncIterator()
        while try await iterator.next() != nil {}
        #expect(source.wasAskedThere == [true, true, true, true])
    }
}
