// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetSerialization
internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Downloads images with limited concurrency, and keeps them in memory.
///
/// Identical requests (GET, with the same URL and header fields) share one download; each receiver can leave it
/// independently, and it is cancelled when the last one leaves. Images are looked up in ``ImageCache`` first, then in
/// the session's cache, then requested from the network. A request whose cache policy excludes stored responses
/// bypasses the ``ImageCache``, and its image replaces the cached one.
///
/// ```swift
/// let downloader = ImageDownloader()
/// let image = try await downloader.image(for: Request(url: url))
/// ```
public final class ImageDownloader: Sendable {
    /// The session that sends the requests.
    public let session: Session

    /// The configuration that the downloader was created with.
    public let configuration: Configuration

    private let state: Mutex<ImageDownloadQueue>

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - session: The session that sends the requests; unless given, a new session with a cache of 20 MiB in memory
    ///     and the default timeouts, 60 seconds without a byte. For a disk cache, pass a session that has one.
    ///   - configuration: The configuration.
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

    /// Downloads an image, or returns it from memory.
    ///
    /// Cancelling the task leaves the download, which continues if others wait for it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - priority: The priority.
    /// - Returns: The image.
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    public func image(for request: Request, priority: Priority = .normal) async throws -> Image {
        try await self.download(request, priority: priority).image
    }

    /// Starts to download an image, or takes it from memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - priority: The priority. A shared download has the highest priority of its receivers.
    /// - Returns: The receipt, with which the image is awaited or cancelled. Releasing it does not cancel the download.
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

    /// Removes a receiver from its download.
    func cancel(_ id: UInt64) {
        let (outcome, task) = self.state.withLock { $0.leave(id) }
        task?.cancel()
        outcome?.resolve(.failure(CancellationError()))
    }

    // MARK: Downloads

    /// Returns the key that identical requests share; nil for a request that is not shared and whose image is not kept.
    private static func key(of request: Request) -> ImageCache.Key? {
        guard request.method == .get, case .none = request.body else { return nil }
        return ImageCache.Key(request)
    }

    /// Whether an image from memory may be used.
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
            // Every receiver has left already, or the download has ended and cancelling has no effect.
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
