// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetSerialization
internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Downloads pictures, a few at a time, and keeps them in memory.
///
/// Identical requests (GET, with the same URL and header fields) share one download; each receiver can leave it by itself, and the last one to leave
/// cancels it. Pictures come from ``ImageCache`` first, then from the cache of the session, then from the network. A request with a cache policy
/// that does not want stored responses goes past the ``ImageCache``, and its picture replaces the one there.
///
/// ```swift
/// let downloader = ImageDownloader()
/// let image = try await downloader.image(for: Request(url: url))
/// ```
public final class ImageDownloader: Sendable {
    /// What sends the requests.
    public let session: Session

    /// The configuration the downloader was made with.
    public let configuration: Configuration

    private let state: Mutex<ImageDownloadQueue>

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - session: What sends the requests; unless given, a session of its own with a cache of 20 MiB in memory and the timeouts of all
    ///     sessions, 60 seconds without a byte. For a cache on disk give a session that has one.
    ///   - configuration: How it behaves.
    public init(session: Session? = nil, configuration: Configuration = Configuration()) {
        self.session = session ?? Self.makeSession()
        self.configuration = configuration
        self.state = Mutex(
            ImageDownloadQueue(limit: configuration.maximumActiveDownloads, order: configuration.order)
        )
    }

    private static func makeSession() -> Session {
        var configuration = Session.Configuration()
        configuration.cache = .memory(maximumByteCount: 20 << 20)
        return Session(configuration: configuration)
    }

    /// Downloads a picture, or takes it from memory.
    ///
    /// Cancelling the task leaves the download, which goes on if others wait for it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - priority: How urgent it is.
    /// - Returns: The picture.
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    public func image(for request: Request, priority: Priority = .normal) async throws -> Image {
        try await self.download(request, priority: priority).image
    }

    /// Begins to download a picture, or takes it from memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - priority: How urgent it is. A download that several receivers share has the highest of their priorities.
    /// - Returns: The receipt, by which the picture is awaited or cancelled. Dropping it does not cancel the download.
    public func download(_ request: Request, priority: Priority = .normal) -> ImageDownloadReceipt {
        let outcome = ImageOutcome()
        let key = Self.key(of: request)
        let id = self.state.withLock { $0.makeNumber() }
        let receipt = ImageDownloadReceipt(id: id, request: request, outcome: outcome, downloader: self)
        if Self.mayUseMemory(request), let image = key.flatMap({ self.configuration.cache?.image(for: $0) }) {
            outcome.resolve(.success(image))
            return receipt
        }
        self.state.withLock { $0.add(id, outcome, key: key, request, priority) }
        self.startNext()
        return receipt
    }

    /// Takes a receiver out of its download.
    func cancel(_ id: UInt64) {
        let (outcome, task) = self.state.withLock { $0.leave(id) }
        task?.cancel()
        outcome?.resolve(.failure(CancellationError()))
    }

    // MARK: Downloads

    /// What identical requests share; nil for a request that is not shared and whose picture is not kept.
    private static func key(of request: Request) -> ImageCache.Key? {
        guard request.method == .get, case .none = request.body else { return nil }
        return ImageCache.Key(request)
    }

    /// Whether a picture from memory will do.
    private static func mayUseMemory(_ request: Request) -> Bool {
        switch request.options.cachePolicy {
        case nil, .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData: false
        }
    }

    private func startNext() {
        while let start = self.state.withLock({ $0.start() }) {
            // The queue owns this task: the last receiver to leave cancels it, and it ends with the download.
            let task = Task {
                await self.run(start)
            }
            let isWanted = self.state.withLock { $0.keep(task, of: start.number) }
            // Everyone has left already, or it has ended, and cancelling does nothing.
            if !isWanted { task.cancel() }
        }
    }

    private func run(_ start: ImageDownloadQueue.Start) async {
        let result: Result<Image, any Error>
        do {
            result = .success(try await self.session.send(start.request, serializer: self.configuration.serializer))
        } catch {
            result = .failure(error)
        }
        let (key, receivers) = self.state.withLock { $0.finish(start.number) }
        if case .success(let image) = result, let key { self.configuration.cache?.add(image, for: key) }
        for receiver in receivers { receiver.resolve(result) }
        self.startNext()
    }
}
