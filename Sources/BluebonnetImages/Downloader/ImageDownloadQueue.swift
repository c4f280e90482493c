// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import BluebonnetSerialization

/// The waiting and active downloads of a downloader, and the receivers of each.
///
/// It makes the decisions; the downloader carries them out.
struct ImageDownloadQueue {
    /// What requests have in common that share a download: the key of their image and the options.
    ///
    /// The options decide whether a stored response is an answer, and how long it may take.
    struct Identity: Hashable {
        var key: ImageCache.Key
        var options: RequestOptions
    }

    /// A new download, which waits until its signal is given.
    struct Waiting {
        var number: UInt64
        var signals: AsyncStream<Void>
    }

    private struct Receiver {
        var outcome: ImageOutcome
        var priority: ImageDownloader.Priority
    }

    private struct Download {
        var identity: Identity?
        /// The highest priority of its receivers.
        var priority: ImageDownloader.Priority
        var receivers: [UInt64: Receiver]
        var signal: AsyncStream<Void>.Continuation
        var task: Task<Void, Never>?
    }

    private let limit: Int
    private let order: ImageDownloader.Order
    private var downloads: [UInt64: Download] = [:]
    private var numbers: [Identity: UInt64] = [:]
    private var owners: [UInt64: UInt64] = [:]
    /// The numbers of waiting downloads, by priority.
    ///
    /// A download that was removed or moved to another list stays behind and is skipped.
    private var waiting: [ImageDownloader.Priority: [UInt64]] = [:]
    /// The numbers of the downloads that have started and not ended, whether or not anybody waits for them.
    private var active: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    init(limit: Int, order: ImageDownloader.Order) {
        self.limit = max(limit, 1)
        self.order = order
    }

    mutating func makeNumber() -> UInt64 {
        self.lastNumber += 1
        return self.lastNumber
    }

    /// Adds a receiver: to the download with the same identity, or to a new one that waits.
    ///
    /// - Parameters:
    ///   - id: The receipt's number.
    ///   - outcome: Receives the image.
    ///   - identity: What requests that share the download have in common; nil for a request that is never shared.
    ///   - priority: Its priority. A download has the highest priority of its receivers.
    /// - Returns: The new download; nil if the receiver was added to another one.
    mutating func add(
        _ id: UInt64,
        _ outcome: ImageOutcome,
        _ identity: Identity?,
        _ priority: ImageDownloader.Priority
    ) -> Waiting? {
        if let number = identity.flatMap({ self.numbers[$0] }), let download = self.downloads[number] {
            self.downloads[number]?.receivers[id] = Receiver(outcome: outcome, priority: priority)
            self.owners[id] = number
            if priority > download.priority { self.move(number, to: priority) }
            return nil
        }
        let number = self.makeNumber()
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        self.downloads[number] = Download(
            identity: identity,
            priority: priority,
            receivers: [id: Receiver(outcome: outcome, priority: priority)],
            signal: signal
        )
        if let identity { self.numbers[identity] = number }
        self.owners[id] = number
        self.waiting[priority, default: []].append(number)
        return Waiting(number: number, signals: signals)
    }

    /// Gives a download another priority, unless it has started.
    private mutating func move(_ number: UInt64, to priority: ImageDownloader.Priority) {
        guard !self.active.contains(number) else { return }
        self.downloads[number]?.priority = priority
        // If it had this priority before, it has kept its place in the list.
        guard self.waiting[priority]?.contains(number) != true else { return }
        self.waiting[priority, default: []].append(number)
    }

    /// Returns the signal of the next download that may start; nil if none waits or too many are active.
    mutating func start() -> AsyncStream<Void>.Continuation? {
        guard self.active.count < self.limit else { return nil }
        for priority in ImageDownloader.Priority.allCases.reversed() {
            while let number = self.takeWaiting(priority) {
                guard let download = self.downloads[number], !self.active.contains(number),
                    download.priority == priority
                else { continue }
                self.active.insert(number)
                return download.signal
            }
        }
        return nil
    }

    private mutating func takeWaiting(_ priority: ImageDownloader.Priority) -> UInt64? {
        guard self.waiting[priority]?.isEmpty == false else { return nil }
        switch self.order {
        case .firstInFirstOut: return self.waiting[priority]?.removeFirst()
        case .lastInFirstOut: return self.waiting[priority]?.removeLast()
        }
    }

    /// Stores the task of a download, which is cancelled when its last receiver leaves; returns false if that has
    /// happened already.
    mutating func keep(_ task: Task<Void, Never>, of number: UInt64) -> Bool {
        guard self.downloads[number] != nil else { return false }
        self.downloads[number]?.task = task
        return true
    }

    /// Ends a download, whether or not it has started.
    ///
    /// - Returns: The cache key of its image, and its receivers.
    mutating func finish(_ number: UInt64) -> (key: ImageCache.Key?, receivers: [ImageOutcome]) {
        self.active.remove(number)
        guard let download = self.remove(number) else { return (nil, []) }
        for id in download.receivers.keys { self.owners[id] = nil }
        return (download.identity?.key, download.receivers.values.map(\.outcome))
    }

    /// Removes a receiver.
    ///
    /// - Returns: The receiver, nil if it has been removed already; and the task to cancel, if it was the last one of a
    ///   download.
    mutating func leave(_ id: UInt64) -> (outcome: ImageOutcome?, task: Task<Void, Never>?) {
        guard let number = self.owners.removeValue(forKey: id) else { return (nil, nil) }
        let outcome = self.downloads[number]?.receivers.removeValue(forKey: id)?.outcome
        guard let download = self.downloads[number] else { return (outcome, nil) }
        guard let highest = download.receivers.values.map(\.priority).max() else {
            return (outcome, self.remove(number)?.task)
        }
        if highest < download.priority { self.move(number, to: highest) }
        return (outcome, nil)
    }

    private mutating func remove(_ number: UInt64) -> Download? {
        guard let download = self.downloads.removeValue(forKey: number) else { return nil }
        if let identity = download.identity, self.numbers[identity] == number { self.numbers[identity] = nil }
        return download
    }
}
