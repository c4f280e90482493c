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

    private let limit: Int
    private let order: ImageDownloader.Order
    private var downloads: [UInt64: Download] = [:]
    private var numbers: [Identity: UInt64] = [:]
    private var owners: [UInt64: UInt64] = [:]
    /// The numbers of waiting downloads, by priority.
    ///
    /// A download that was removed or moved to another line stays behind and is skipped.
    private var waiting: [ImageDownloader.Priority: Line] = [:]
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
        let receiver = Receiver(outcome: outcome, priority: priority)
        if let number = identity.flatMap({ self.numbers[$0] }) {
            self.add(receiver, id, to: number)
            return nil
        }
        let number = self.makeNumber()
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        self.downloads[number] = Download(identity, signal, priority)
        if let identity { self.numbers[identity] = number }
        self.enqueue(number, priority)
        self.add(receiver, id, to: number)
        return Waiting(number: number, signals: signals)
    }

    private mutating func add(_ receiver: Receiver, _ id: UInt64, to number: UInt64) {
        self.owners[id] = number
        self.downloads[number]?.add(receiver, id)
        self.updatePriority(of: number)
    }

    /// Gives a download the highest priority of its receivers, unless it has started.
    private mutating func updatePriority(of number: UInt64) {
        guard let priority = self.downloads[number]?.highest, priority != self.downloads[number]?.priority,
            !self.active.contains(number)
        else { return }
        self.downloads[number]?.priority = priority
        self.enqueue(number, priority)
    }

    /// Gives a download a place in a line; if it had this priority before, it has kept its place.
    private mutating func enqueue(_ number: UInt64, _ priority: ImageDownloader.Priority) {
        guard self.downloads[number]?.places.insert(priority).inserted == true else { return }
        self.waiting[priority, default: Line()].append(number)
    }

    /// Returns the signal of the next download that may start; nil if none waits or too many are active.
    mutating func start() -> AsyncStream<Void>.Continuation? {
        guard self.active.count < self.limit else { return nil }
        for priority in ImageDownloader.Priority.allCases.reversed() {
            while let number = self.takeNumber(priority) {
                self.downloads[number]?.places.remove(priority)
                guard let download = self.downloads[number], !self.active.contains(number),
                    download.priority == priority
                else { continue }
                self.active.insert(number)
                return download.signal
            }
        }
        return nil
    }

    private mutating func takeNumber(_ priority: ImageDownloader.Priority) -> UInt64? {
        switch self.order {
        case .firstInFirstOut: self.waiting[priority]?.takeFirst()
        case .lastInFirstOut: self.waiting[priority]?.takeLast()
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
        let outcome = self.downloads[number]?.removeReceiver(id)
        if self.downloads[number]?.highest == nil { return (outcome, self.remove(number)?.task) }
        self.updatePriority(of: number)
        return (outcome, nil)
    }

    private mutating func remove(_ number: UInt64) -> Download? {
        guard let download = self.downloads.removeValue(forKey: number) else { return nil }
        if let identity = download.identity, self.numbers[identity] == number { self.numbers[identity] = nil }
        return download
    }
}
