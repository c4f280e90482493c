// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetSerialization
internal import FoundationEssentials
internal import HTTPTypes
internal import Synchronization

/// Downloads images with limited concurrency, and keeps them in memory.
///
/// Identical requests (GET, with the same URL, header fields and options) share one download; each receiver can leave
/// it independently, and it is cancelled when the last one leaves. Images are looked up in ``ImageCache`` first, then
/// in the session's cache, then requested from the network. A request whose cache policy excludes stored responses
/// bypasses the ``ImageCache``, and its image replaces the cached one.
///
/// A request with authentication, transport options (trust or a proxy, for example), an initiator of cookies or a
/// program's value in its context shares no download and bypasses the ``ImageCache`` altogether: an interceptor may turn
/// what it finds there into another response. Retries and a rate limit of its own change nothing in that.
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
            ImageDownloadQueue(limit: configuration.maximumConcurrentDownloads, order: configuration.order)
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
        let identity = Self.identity(of: request)
        let id = self.state.withLock { $0.makeNumber() }
        let receipt = ImageDownloadReceipt(id: id, request: request, outcome: outcome, downloader: self)
        if Self.mayUseMemory(request), let image = identity.flatMap({ self.configuration.cache?.image(for: $0.key) }) {
            outcome.resolve(.success(image))
            return receipt
        }
        let waiting = self.state.withLock { $0.add(id, outcome, identity, priority) }
        if let waiting { self.begin(waiting, request) }
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

    /// Returns what identical requests have in common; nil for a request that is not shared and whose image is not
    /// kept.
    private static func identity(of request: Request) -> ImageDownloadQueue.Identity? {
        guard request.method == .get, case .none = request.body, !Self.isPersonal(request) else { return nil }
        return ImageDownloadQueue.Identity(key: ImageCache.Key(request), options: request.options)
    }

    /// Whether a request has something of its own that decides about its response and cannot be compared.
    private static func isPersonal(_ request: Request) -> Bool {
        // The first is part of the key; the others decide only how the image is fetched.
        request.context.hasValue(besides: [HomeOrigin.self, RetryPolicy.self, RateLimit.self])
    }

    /// Whether an image from memory may be used.
    private static func mayUseMemory(_ request: Request) -> Bool {
        switch request.options.cachePolicy {
        case nil, .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData: false
        }
    }

    /// Makes the task of a download, which waits for its turn.
    ///
    /// It is made now, and not when its turn comes, so that it has the priority and the task-local values of the task
    /// that asks for the image: a trace, for example. At its turn those of another download would be current.
    private func begin(_ waiting: ImageDownloadQueue.Waiting, _ request: Request) {
        // The queue owns this task: the last receiver to leave cancels it, and it ends with the download.
        let task = Task {
            var result: Result<Image, any Error> = .failure(CancellationError())
            for await _ in waiting.signals {
                result = await self.send(request)
                break
            }
            self.end(waiting.number, result)
        }
        let isWanted = self.state.withLock { $0.keep(task, of: waiting.number) }
        // Every receiver has left already, or the download has ended and cancelling has no effect.
        if !isWanted { task.cancel() }
    }

    /// Starts as many downloads as may be active.
    private func startNext() {
        while let signal = self.state.withLock({ $0.start() }) { signal.yield() }
    }

    private func send(_ request: Request) async -> Result<Image, any Error> {
        do {
            return .success(try await self.session.value(for: request, serializer: self.configuration.serializer))
        } catch {
            return .failure(error)
        }
    }

    private func end(_ number: UInt64, _ result: Result<Image, any Error>) {
        let (key, receivers) = self.state.withLock { $0.finish(number) }
        if case .success(let image) = result, let key { self.configuration.cache?.add(image, for: key) }
        for receiver in receivers { receiver.resolve(result) }
        self.startNext()
    }
}
