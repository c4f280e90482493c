// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials
import Testing

@testable import Bluebonnet

/// Bodies in memory that are too large for one buffer of the transport.
@Suite struct LargeDataTests {
    @Test(.bug(id: "F58")) func `data is read in pieces where it is larger than a buffer should be`() throws {
        // Pages of zeros cost nothing until they are touched.
        let count = TransportBody.largestPiece + 1
        guard
            case .reader(let length, let isReplayable, let makeReader) = TransportBody(
                .data(Data(count: count)),
                monitor: nil
            )
        else {
            Issue.record("it is no reader")
            return
        }
        #expect(length == Int64(count))
        #expect(isReplayable)
        var reader = try makeReader()
        var piece = [UInt8](repeating: 1, count: 1000)
        let read = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(read > 0 && piece.prefix(read).allSatisfy { $0 == 0 })
    }
}
