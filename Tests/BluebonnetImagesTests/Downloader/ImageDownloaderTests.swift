// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import BluebonnetImages

@Suite(.timeLimit(.minutes(1))) struct ImageDownloaderTests {
    private func downloader(
        _ shop: Shop,
        _ change: (inout ImageDownloader.Configuration) -> Void = { _ in }
    ) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        change(&configuration)
        return ImageDownloader(session: Session(transport: shop.transport), configuration: configuration)
    }

    private func request(_ path: String, _ policy: RequestOptions.CachePolicy? = nil) throws -> Request {
        var request = Request(url: try #require(URL(string: "http://pictures.test\(path)")))
        request.options.cachePolicy = policy
        return request
    }

    @Test func `1.7 identical requests share one download, and its picture`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipts = try (0..<3).map { _ in downloader.download(try self.request("/a")) }
        #expect(Set(receipts.map(\.id)).count == 3)
        await shop.wait(for: 1)
        shop.release("/a")
        for receipt in receipts { #expect(try await receipt.image.width == 61) }
        #expect(shop.asked == ["/a"])
    }

    @Test func `1.7 four downloads are active at a time`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipts = try (0..<6).map { downloader.download(try self.request("/\($0)")) }
        await shop.wait(for: 4)
        #expect(Set(shop.asked) == ["/0", "/1", "/2", "/3"])
        shop.release("/2")
        _ = try await receipts[2].image
        await shop.wait(for: 5)
        #expect(shop.asked.last == "/4")
        for number in [0, 1, 3, 4] { shop.release("/\(number)") }
        await shop.wait(for: 6)
        shop.release("/5")
        for receipt in receipts { _ = try await receipt.image }
        #expect(shop.asked.count == 6)
    }

    @Test(arguments: [
        (ImageDownloader.Order.firstInFirstOut, ["/0", "/high1", "/high2", "/1", "/2", "/low"]),
        (.lastInFirstOut, ["/0", "/high2", "/high1", "/2", "/1", "/low"]),
    ])
    func `1.7 waiting downloads start by priority, then in their order`(
        _ order: ImageDownloader.Order,
        _ expected: [String]
    ) async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop) {
            $0.maximumConcurrentDownloads = 1
            $0.order = order
        }
        let first = downloader.download(try self.request("/0"))
        await shop.wait(for: 1)
        var receipts = [first, downloader.download(try self.request("/low"), priority: .low)]
        for path in ["/1", "/2"] { receipts.append(downloader.download(try self.request(path))) }
        for path in ["/high1", "/high2"] {
            receipts.append(downloader.download(try self.request(path), priority: .high))
        }
        for (number, path) in expected.enumerated() {
            await shop.wait(for: number + 1)
            shop.release(path)
        }
        for receipt in receipts { _ = try await receipt.image }
        #expect(shop.asked == expected)
    }

    @Test func `a receiver who is in a hurry takes the others with it`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop) { $0.maximumConcurrentDownloads = 1 }
        var receipts = [downloader.download(try self.request("/0"))]
        await shop.wait(for: 1)
        for path in ["/1", "/2"] { receipts.append(downloader.download(try self.request(path))) }
        receipts.append(downloader.download(try self.request("/2"), priority: .high))
        for (number, path) in ["/0", "/2", "/1"].enumerated() {
            await shop.wait(for: number + 1)
            shop.release(path)
        }
        for receipt in receipts { _ = try await receipt.image }
        #expect(shop.asked == ["/0", "/2", "/1"])
    }

    @Test(.bug(id: "F484")) func `a receiver who was in a hurry and leaves takes the hurry along`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop) { $0.maximumConcurrentDownloads = 1 }
        var receipts = [downloader.download(try self.request("/0"))]
        await shop.wait(for: 1)
        receipts.append(downloader.download(try self.request("/1"), priority: .low))
        let urgent = downloader.download(try self.request("/1"), priority: .high)
        receipts.append(downloader.download(try self.request("/2")))
        // The first receiver of this one leaves, and the other one has less priority than it.
        let usual = downloader.download(try self.request("/3"))
        receipts.append(downloader.download(try self.request("/3"), priority: .low))
        for receipt in [urgent, usual] { receipt.cancel() }
        for (number, path) in ["/0", "/2", "/1", "/3"].enumerated() {
            await shop.wait(for: number + 1)
            shop.release(shop.asked[number])
            #expect(shop.asked[number] == path)
        }
        for receipt in receipts { _ = try await receipt.image }
    }

    @Test func `1.7 a cancelled receiver leaves, and the last one cancels the download`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let first = downloader.download(try self.request("/a"))
        let second = downloader.download(try self.request("/a"))
        await shop.wait(for: 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.image }
        #expect(shop.cancelled.isEmpty)
        second.cancel()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.image }
        while shop.cancelled.isEmpty { await Task.yield() }
        // The same request again is a download of its own.
        let third = downloader.download(try self.request("/a"))
        await shop.wait(for: 2)
        shop.release("/a")
        #expect(try await third.image.width == 61)
    }

    @Test func `a download that waits and is cancelled is never sent`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop) { $0.maximumConcurrentDownloads = 1 }
        let first = downloader.download(try self.request("/0"))
        await shop.wait(for: 1)
        let waiting = downloader.download(try self.request("/1"))
        let last = downloader.download(try self.request("/2"))
        waiting.cancel()
        shop.release("/0")
        _ = try await first.image
        await shop.wait(for: 2)
        shop.release("/2")
        _ = try await last.image
        #expect(shop.asked == ["/0", "/2"])
    }

    @Test func `cancelling a task that waits for a picture leaves the download`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let request = try self.request("/a")
        let task = Task { try await downloader.image(for: request) }
        await shop.wait(for: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        while shop.cancelled.isEmpty { await Task.yield() }
    }

    @Test(.bug(id: "F155")) func `a task that is cancelled wakes up no other that waits for the same picture`()
        async throws
    {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipt = downloader.download(try self.request("/a"))
        await shop.wait(for: 1)
        let recorder = WakeUpRecorder()
        let first = Task { try await receipt.image }
        let second = Task(executorPreference: recorder) { try await receipt.image }
        while receipt.outcome.waiterCount < 2 { await Task.yield() }
        recorder.cancelling { first.cancel() }
        for task in [first, second] { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(recorder.count == 0)
        while shop.cancelled.isEmpty { await Task.yield() }
    }

    @Test(.bug(id: "F155")) func `a task that is cancelled after the picture has arrived gets it`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipt = downloader.download(try self.request("/a"))
        await shop.wait(for: 1)
        shop.release("/a")
        _ = try await receipt.image
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await receipt.image
        }
        #expect(try await task.value.width == 61)
    }

    @Test(arguments: [
        (RequestOptions.CachePolicy?.none, 1), (.useProtocolCachePolicy, 1), (.returnCacheDataElseLoad, 1),
        (.returnCacheDataDontLoad, 1), (.reloadIgnoringLocalCacheData, 2), (.reloadIgnoringLocalAndRemoteCacheData, 2),
        (.reloadRevalidatingCacheData, 2),
    ])
    func `1.7 pictures come from memory for the policies that want stored responses`(
        _ policy: RequestOptions.CachePolicy?,
        _ count: Int
    ) async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        async let first = downloader.image(for: self.request("/a"))
        await shop.wait(for: 1)
        shop.release("/a")
        _ = try await first
        let second = downloader.download(try self.request("/a", policy))
        if count == 2 {
            await shop.wait(for: 2)
            shop.release("/a")
        }
        _ = try await second.image
        #expect(shop.asked.count == count)
        #expect(downloader.configuration.cache?.count == 1)
    }

    @Test func `all receivers get the error of a download, which is not kept`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipts = try (0..<2).map { _ in downloader.download(try self.request("/missing")) }
        await shop.wait(for: 1)
        shop.release("/missing")
        for receipt in receipts {
            let error = await #expect(throws: SessionError.self) { try await receipt.image }
            #expect(error?.code == .unacceptableStatus)
        }
        #expect(downloader.configuration.cache?.count == 0)
        _ = downloader.download(try self.request("/missing"))
        await shop.wait(for: 2)
        shop.release("/missing")
    }

    @Test func `a request that is not a GET is neither shared nor kept`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        var request = try self.request("/a")
        request.method = .post
        let receipts = [downloader.download(request), downloader.download(request)]
        await shop.wait(for: 2)
        shop.release("/a")
        for receipt in receipts { _ = try await receipt.image }
        #expect(downloader.configuration.cache?.count == 0)
    }

    @Test func `1.7 the cache of the session is below the memory`() async throws {
        try await TestServer.withServer { server in
            let picture = [UInt8](try ImageMagick.make(ImageMagick.photo, as: "png24"))
            server.enqueue(
                ScriptedResponse(
                    headers: [.contentType: "image/png", .cacheControl: "max-age=60"],
                    body: .bytes(picture)
                )
            )
            let downloader = ImageDownloader()
            let request = Request(url: try #require(URL(string: "\(server.url)/a.png")))
            let image = try await downloader.image(for: request)
            #expect(image.isInflated)
            downloader.configuration.cache?.removeAll()
            // The script is at its end: a second request would get another answer.
            #expect(try await downloader.image(for: request).pixels() == image.pixels())
            await downloader.session.shutdown()
        }
    }

    @Test @MainActor func `a small picture is decoded off the caller's executor`() async throws {
        let isMain = Mutex<Bool?>(nil)
        let decoder = StubImageDecoder(
            work: {
                isMain.withLock { $0 = DispatchQueue.getSpecific(key: Self.mainKey) == true }
            },
            answer: { ImageHeader(format: $0, width: 2, height: 2) }
        )
        DispatchQueue.main.setSpecific(key: Self.mainKey, value: true)
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: [.contentType: "image/png"],
                body: ResponseBody(ByteBuffer(string: "tiny"))
            )
        }
        let image = try await Session(transport: transport).value(
            for: self.request("/a"),
            serializer: ImageResponseSerializer(decoder: decoder)
        )
        #expect(image.isInflated)
        #expect(isMain.withLock { $0 } == false)
    }

    private static let mainKey = DispatchSpecificKey<Bool>()
}
