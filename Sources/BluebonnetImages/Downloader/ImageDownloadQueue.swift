// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import BluebonnetSerialization

/// The waiting and active downloads of a downloader, and the receivers of each.
///
/// It makes the decisions; the downloader carries them out.
struct ImageDownloadQueue {
    /// A download that starts.
    struct Start {
        var number: UInt64
        var request: Request
    }

    private struct Download {
        var key: ImageCache.Key?
        var request: Request
        var priority: ImageDownloader.Priority
        var receivers: [UInt64: ImageOutcome]
        var isActive = false
        var task: Task<Void, Never>?
    }

    private let limit: Int
    private let order: ImageDownloader.Order
    private var downloads: [UInt64: Download] = [:]
    private var numbers: [ImageCache.Key: UInt64] = [:]
    private var owners: [UInt64: UInt64] = [:]
    /// The numbers of waiting downloads, by priority.
    ///
    /// A download that was removed or moved to another list stays behind and is skipped.
    private var waiting: [ImageDownloader.Priority: [UInt64]] = [:]
    private var activeCount = 0
    private var lastNumber: UInt64 = 0

    init(limit: Int, order: ImageDownloader.Order) {
        self.limit = max(limit, 1)
        self.order = order
    }

    mutating func makeNumber() -> UInt64 {
        self.lastNumber += 1
        return self.lastNumber
    }

    /// Adds a receiver: to the download with the same key, or to a new one that waits.
    ///
    /// - Parameters:
    ///   - id: The receipt's number.
    ///   - outcome: Receives the image.
    ///   - key: The key that identical requests share; nil for a request that is never shared.
    ///   - request: The request.
    ///   - priority: Its priority. A download has the highest priority of its receivers.
    mutating func add(
        _ id: UInt64,
        _ outcome: ImageOutcome,
        key: ImageCache.Key?,
        _ request: Request,
        _ priority: ImageDownloader.Priority
    ) {
        if let number = key.flatMap({ self.numbers[$0] }), let download = self.downloads[number] {
            self.downloads[number]?.receivers[id] = outcome
            self.owners[id] = number
            guard !download.isActive, priority > download.priority else { return }
            self.downloads[number]?.priority = priority
            self.waiting[priority, default: []].append(number)
            return
        }
        let number = self.makeNumber()
        self.downloads[number] = Download(key: key, request: request, priority: priority, receivers: [id: outcome])
        if let key { self.numbers[key] = number }
        self.owners[id] = number
        self.waiting[priority, default: []].append(number)
    }

    /// Returns the next download that may start; nil if none waits or too many are active.
    mutating func start() -> Start? {
        guard self.activeCount < self.limit else { return nil }
        for priority in ImageDownloader.Priority.allCases.reversed() {
            while let number = self.takeWaiting(priority) {
                guard let download = self.downloads[number], !download.isActive, download.priority == priority else {
                    continue
                }
                self.downloads[number]?.isActive = true
                self.activeCount += 1
                return Start(number: number, request: download.request)
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

    /// Ends a download.
    ///
    /// - Returns: The cache key of its image, and its receivers.
    mutating func finish(_ number: UInt64) -> (key: ImageCache.Key?, receivers: [ImageOutcome]) {
        self.activeCount -= 1
        guard let download = self.remove(number) else { return (nil, []) }
        for id in download.receivers.keys { self.owners[id] = nil }
        return (download.key, Array(download.receivers.values))
    }

    /// Removes a receiver.
    ///
    /// - Returns: The receiver, nil if it has been removed already; and the task to cancel, if it was the last one of a
    ///   download.
    mutating func leave(_ id: UInt64) -> (outcome: ImageOutcome?, task: Task<Void, Never>?) {
        guard let number = self.owners.removeValue(forKey: id) else { return (nil, nil) }
        let outcome = self.downloads[number]?.receivers.removeValue(forKey: id)
        guard self.downloads[number]?.receivers.isEmpty == true else { return (outcome, nil) }
        return (outcome, self.remove(number)?.task)
    }

    private mutating func remove(_ number: UInt64) -> Download? {
        guard let download = self.downloads.removeValue(forKey: number) else { return nil }
        if let key = download.key, self.numbers[key] == number { self.numbers[key] = nil }
        return download
    }
}
