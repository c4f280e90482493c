// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetImages
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Which requests may get the picture of another one.
@Suite(.timeLimit(.minutes(1))) struct ImageSharingTests {
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (inout Request) -> Void
    }

    private func request(_ path: String = "/a", _ change: (inout Request) -> Void = { _ in }) throws -> Request {
        var request = Request(url: try #require(URL(string: "http://pictures.test\(path)")))
        change(&request)
        return request
    }

    private func downloader(_ shop: Shop, _ count: Int = 4) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentDownloads = count
        return ImageDownloader(session: Session(transport: shop.transport), configuration: configuration)
    }

    @Test(
        .bug(id: "F172"),
        arguments: [
            Change(testDescription: "a reload") { $0.options.cachePolicy = .reloadIgnoringLocalCacheData },
            Change(testDescription: "a request without cookies") { $0.options.handlesCookies = false },
            Change(testDescription: "a shorter limit") { $0.options.totalTimeout = .seconds(9) },
        ]
    )
    func `requests with different options do not share a download`(_ change: Change) async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipts = [
            downloader.download(try self.request()), downloader.download(try self.request("/a", change.apply)),
        ]
        #expect(await Patience.holds(within: .seconds(5)) { shop.asked.count == 2 })
        shop.release("/a")
        for receipt in receipts { #expect(try await receipt.image.width == 61) }
    }

    @Test(.bug(id: "F172")) func `the error of a request that wants stored responses only is not that of another one`()
        async throws
    {
        let shop = try Shop()
        let downloader = self.downloader(shop, 1)
        let first = downloader.download(try self.request("/0"))
        await shop.wait(for: 1)
        let stored = downloader.download(try self.request { $0.options.cachePolicy = .returnCacheDataDontLoad })
        let wanted = downloader.download(try self.request())
        shop.release("/0")
        _ = try await first.image
        await #expect(throws: SessionError.self) { try await stored.image }
        let answer = Task { try await wanted.image }
        #expect(await Patience.holds(within: .seconds(5)) { shop.asked == ["/0", "/a"] })
        shop.release("/a")
        #expect(try await answer.value.width == 61)
    }

    @Test(
        .bug(id: "F173"),
        .bug(id: "F479"),
        arguments: [
            Change(testDescription: "another user") { $0.authentication = .bearer("b") },
            Change(testDescription: "a handler of challenges") { $0.onAuthenticationChallenge = { _ in .cancel } },
            Change(testDescription: "transport options") { $0.transportOptions.limits = TransportLimits() },
            Change(testDescription: "a value of the program") { $0.context[Tenant.self] = Tenant(name: "acme") },
        ]
    )
    func `a request with something of its own gets no picture of another, and leaves it none`(
        _ change: Change
    ) async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let plain = downloader.download(try self.request())
        await shop.wait(for: 1)
        let own = downloader.download(try self.request("/a", change.apply))
        #expect(await Patience.holds(within: .seconds(5)) { shop.asked.count == 2 })
        shop.release("/a")
        for receipt in [plain, own] { _ = try await receipt.image }
        // The picture of the first is in memory now.
        let again = downloader.download(try self.request("/a", change.apply))
        #expect(await Patience.holds(within: .seconds(5)) { shop.asked.count == 3 })
        shop.release("/a")
        _ = try await again.image
        downloader.configuration.cache?.removeAll()
        let last = downloader.download(try self.request("/a", change.apply))
        #expect(await Patience.holds(within: .seconds(5)) { shop.asked.count == 4 })
        shop.release("/a")
        _ = try await last.image
        #expect(downloader.configuration.cache?.count == 0)
    }

    @Test(arguments: [
        Change(testDescription: "retries") { $0.retries = .idempotent() },
        Change(testDescription: "a rate limit") { $0.rateLimit = RateLimit(download: 1_000_000) },
    ])
    func `what decides only how a picture is fetched does not prevent sharing`(_ change: Change) async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let receipts = [
            downloader.download(try self.request()), downloader.download(try self.request("/a", change.apply)),
        ]
        await shop.wait(for: 1)
        shop.release("/a")
        for receipt in receipts { _ = try await receipt.image }
        _ = try await downloader.image(for: self.request("/a", change.apply))
        #expect(shop.asked == ["/a"])
    }

    @Test func `a request of a client with a base URL shares its picture`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        let api = try HTTPSession("http://pictures.test", transport: shop.transport)
        let receipts = [
            downloader.download(try api.prepare(.get, "a").request),
            downloader.download(try api.prepare(.get, "a").request),
        ]
        await shop.wait(for: 1)
        shop.release("/a")
        for receipt in receipts { _ = try await receipt.image }
        #expect(shop.asked == ["/a"])
        #expect(downloader.configuration.cache?.count == 1)
    }

    @Test(.bug(id: "F479")) func `requests of clients with different homes share no picture`() async throws {
        let shop = try Shop()
        let downloader = self.downloader(shop)
        // The second is at home: a session may send its secrets with it.
        let url = try #require(URL(string: "http://pictures.test/a"))
        let requests = try ["http://api.test", "http://pictures.test"].map { base in
            try HTTPSession(base, transport: shop.transport).prepare(.get, url).request
        }
        let receipts = requests.map { downloader.download($0) }
        #expect(await Patience.holds(within: .seconds(5)) { shop.asked.count == 2 })
        shop.release("/a")
        for receipt in receipts { _ = try await receipt.image }
        #expect(downloader.configuration.cache?.count == 2)
        for request in requests { _ = try await downloader.image(for: request) }
        #expect(shop.asked.count == 2)
    }

    @Test(.bug(id: "F174")) func `a download that has waited runs in the context of the task that asked for it`()
        async throws
    {
        let seen = Mutex<[String: String]>([:])
        let shop = try Shop()
        let transport = StubTransport { request in
            seen.withLock { $0[request.target] = Surroundings.mark }
            return TransportResponse(
                status: .ok,
                headers: [.contentType: "image/png"],
                body: ResponseBody(ByteBuffer(bytes: shop.picture))
            )
        }
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentDownloads = 1
        let downloader = ImageDownloader(session: Session(transport: transport), configuration: configuration)
        let paths = (0..<8).map { "/\($0)" }
        let receipts = try paths.map { path in
            try Surroundings.$mark.withValue("of \(path)") { downloader.download(try self.request(path)) }
        }
        for receipt in receipts { _ = try await receipt.image }
        #expect(seen.withLock { $0 } == Dictionary(uniqueKeysWithValues: paths.map { ($0, "of \($0)") }))
    }
}

private struct Tenant: Sendable {
    var name: String
}

private enum Surroundings {
    @TaskLocal static var mark: String?
}
