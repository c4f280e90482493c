// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTransport

/// Acknowledgements that a server requests: only those that it does not read are counted against it.
@Suite struct HTTP2AnswersTests {
    /// A connection to a server that reads so many bytes for each acknowledgement of 17 bytes.
    private struct Connection {
        var progress = SendProgress()
        var answers = HTTP2Answers()
        var unsent = 0
        let read: Int

        mutating func send(_ byteCount: Int) {
            _ = self.progress.wrote(byteCount)
            self.unsent += byteCount
        }

        mutating func answer() throws(HTTP2Error) {
            self.unsent -= Swift.min(self.unsent, self.read)
            try self.answers.add(HTTP2Frame.pingSize, self.progress, unsent: self.unsent)
            self.send(HTTP2Frame.pingSize)
        }
    }

    @Test(.bug(id: "F627")) func `heads and bodies that wait are no acknowledgements`() throws {
        var connection = Connection(read: 0)
        connection.send(5_000_000)
        for _ in 0..<100 { try connection.answer() }
    }

    @Test(.bug(id: "F627"), arguments: [0, 5_000_000])
    func `a server that reads none of its acknowledgements is refused when they are 1 MiB`(_ before: Int) {
        var connection = Connection(read: 0)
        connection.send(before)
        var count = 0
        let error = #expect(throws: HTTP2Error.self) {
            while true {
                try connection.answer()
                count += 1
            }
        }
        #expect(error?.code == .enhanceYourCalm)
        #expect((count - 1) * HTTP2Frame.pingSize <= 2 * HTTP2Answers.limit)
    }

    @Test(.bug(id: "F627")) func `a slow server that reads them may request any number`() throws {
        // The channel is never empty.
        var connection = Connection(read: HTTP2Frame.pingSize)
        connection.send(300_000)
        for _ in 0..<200_000 { try connection.answer() }
        #expect(connection.unsent > 0)
    }
}
