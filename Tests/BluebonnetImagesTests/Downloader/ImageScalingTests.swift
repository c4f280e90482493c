// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import TestSupport
import Testing

@testable import BluebonnetImages

/// The time that a downloader takes, under its lock, for lists of thousands of pictures.
@Suite(.timeLimit(.minutes(1))) struct ImageScalingTests {
    /// What a list does with its pictures before one of them has arrived.
    enum Load: CaseIterable, Sendable {
        /// All rows show one picture.
        case sharedPicture
        /// Pictures that were requested in advance come into sight.
        case raisedPriorities

        func key(_ row: Int) -> ImageCache.Key { ImageCache.Key(self == .sharedPicture ? "a" : "\(row)") }
    }

    @Test(.bug(id: "F832"), arguments: Load.allCases)
    func `receivers join and leave in time in proportion to their number`(_ load: Load) throws {
        let seconds = try Scaling.seconds { factor in
            let rows = (0..<factor * 500).map {
                ImageDownloadQueue.Identity(key: load.key($0), options: RequestOptions())
            }
            return {
                var queue = ImageDownloadQueue(limit: 4, order: .firstInFirstOut)
                var ids: [UInt64] = []
                for priority in [ImageDownloader.Priority.low, .high] {
                    for row in rows {
                        let id = queue.makeNumber()
                        ids.append(id)
                        _ = queue.add(id, ImageOutcome(), row, priority)
                    }
                }
                for id in ids { #expect(queue.leave(id).outcome != nil) }
            }
        }
        #expect(seconds[3] / seconds[0] < Scaling.largestGrowth, "\(seconds)")
    }
}
