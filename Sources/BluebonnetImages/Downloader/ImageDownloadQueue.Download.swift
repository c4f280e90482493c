// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ImageDownloadQueue {
    /// A waiting or active download.
    struct Download {
        let identity: Identity?
        let signal: AsyncStream<Void>.Continuation
        /// The highest priority of its receivers; that of its start once it is active.
        var priority: ImageDownloader.Priority
        var task: Task<Void, Never>?
        /// The priorities in whose lines it has a place.
        var places: Set<ImageDownloader.Priority> = []
        private(set) var receivers: [UInt64: Receiver] = [:]
        /// The number of receivers of each priority, so that the highest is found without all of them.
        private var counts = [Int](repeating: 0, count: ImageDownloader.Priority.allCases.count)

        init(_ identity: Identity?, _ signal: AsyncStream<Void>.Continuation, _ priority: ImageDownloader.Priority) {
            self.identity = identity
            self.signal = signal
            self.priority = priority
        }

        /// The highest priority of its receivers; nil without any.
        var highest: ImageDownloader.Priority? {
            ImageDownloader.Priority.allCases.last { self.counts[$0.rawValue] > 0 }
        }

        mutating func add(_ receiver: Receiver, _ id: UInt64) {
            self.receivers[id] = receiver
            self.counts[receiver.priority.rawValue] += 1
        }

        mutating func removeReceiver(_ id: UInt64) -> ImageOutcome? {
            guard let receiver = self.receivers.removeValue(forKey: id) else { return nil }
            self.counts[receiver.priority.rawValue] -= 1
            return receiver.outcome
        }
    }

    struct Receiver {
        var outcome: ImageOutcome
        var priority: ImageDownloader.Priority
    }
}
