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
import Testing

@testable import BluebonnetFoundation

@Suite(.timeLimit(.minutes(1))) struct NotificationObserverTests {
    /// A notification as it was posted.
    private struct Posted: Sendable {
        var name: String
        var isOnQueue: Bool
        var objectID: ObjectIdentifier?
        var keys: Set<String>
        var texts: [String: String]
    }

    private final class Log: Sendable {
        private let posted = Mutex<[Posted]>([])

        var all: [Posted] { self.posted.withLock { $0 } }

        func add(_ posted: Posted) { self.posted.withLock { $0.append(posted) } }

        func wait(for count: Int) async {
            while self.all.count < count { await Task.yield() }
        }
    }

    private let center = NotificationCenter()
    private let queue = DispatchQueue(label: "notifications")
    private let log = Log()
    private let request: Request

    init() throws {
        self.request = Request(url: try #require(URL(string: "http://h/")))
        let key = DispatchSpecificKey<Bool>()
        self.queue.setSpecific(key: key, value: true)
        let log = self.log
        for name in [
            "task.resume", "task.suspend", "task.complete", "session.invalidate",
            "session.download.file-manager-succeed",
            "session.download.file-manager-error",
        ] {
            _ = self.center.addObserver(
                forName: Notification.Name("com.alamofire.networking.\(name)"),
                object: nil,
                queue: nil
            ) { notification in
                let info = notification.userInfo ?? [:]
                log.add(
                    Posted(
                        name: name,
                        isOnQueue: DispatchQueue.getSpecific(key: key) == true,
                        objectID: (notification.object as AnyObject?).map(ObjectIdentifier.init),
                        keys: Set(info.keys.compactMap { $0 as? String }),
                        texts: Dictionary(
                            uniqueKeysWithValues: info.compactMap { pair in
                                (pair.key as? String).map { ($0, "\(pair.value)") }
                            }
                        )
                    )
                )
            }
        }
    }

    private func session(
        status: Int = 200,
        headers: HTTPFields = [:],
        body: String = "abc",
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.observers = [NotificationObserver(center: self.center, queue: self.queue)]
        change(&configuration)
        return Session(
            configuration: configuration,
            transport: StubTransport { _ in
                TransportResponse(
                    status: .init(code: status),
                    headers: headers,
                    body: ResponseBody(ByteBuffer(string: body))
                )
            }
        )
    }

    @Test func `1.3.5 a task posts that it is resumed and completed, on the queue, with AFNetworking's keys`()
        async throws
    {
        let task = self.session().dataTask(with: self.request, serializer: .data)
        task.resume()
        await self.log.wait(for: 2)
        let all = self.log.all
        #expect(all.map(\.name) == ["task.resume", "task.complete"])
        #expect(all.allSatisfy { $0.isOnQueue && $0.objectID == ObjectIdentifier(task) })
        #expect(all[0].keys.isEmpty)
        #expect(
            all[1].keys == [
                "com.alamofire.networking.task.complete.serializedresponse",
                "com.alamofire.networking.task.complete.responseserializer",
                "com.alamofire.networking.complete.finish.responsedata",
                "com.alamofire.networking.complete.sessiontaskmetrics",
            ]
        )
        #expect(all[1].texts[NotificationObserver.UserInfoKey.responseData] == "\(Data("abc".utf8))")
    }

    @Test func `1.3.5 a task that fails posts its error`() async throws {
        let task = self.session(status: 500).dataTask(with: self.request, serializer: .data)
        task.resume()
        await self.log.wait(for: 2)
        let end = try #require(self.log.all.last)
        #expect(end.keys.contains(NotificationObserver.UserInfoKey.error))
        #expect(!end.keys.contains(NotificationObserver.UserInfoKey.serializedResponse))
        #expect(end.texts[NotificationObserver.UserInfoKey.error]?.contains("unacceptableStatus") == true)
    }

    @Test func `1.3.5 the completion function comes first, then the notification`() async throws {
        let session = self.session { $0.completion = .queue(self.queue) }
        for _ in 0..<20 {
            let count = self.log.all.count
            let task = session.dataTask(with: self.request, serializer: .data)
            task.onCompletion { _ in
                self.log.add(Posted(name: "function", isOnQueue: true, keys: [], texts: [:]))
            }
            task.resume()
            await self.log.wait(for: count + 3)
            #expect(self.log.all.suffix(3).map(\.name) == ["task.resume", "function", "task.complete"])
        }
    }

    @Test func `1.3.5 a download posts that its file was moved, or was not`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = self.session()
        for _ in 0..<2 {
            let count = self.log.all.count
            session.downloadTask(with: self.request, to: folder.appending(path: "file")).resume()
            await self.log.wait(for: count + 3)
        }
        let all = self.log.all
        let names = all.map(\.name)
        #expect(Set(names.prefix(3)) == ["task.resume", "session.download.file-manager-succeed", "task.complete"])
        #expect(Set(names.suffix(3)) == ["task.resume", "session.download.file-manager-error", "task.complete"])
        let (saved, refused) = (all.first { $0.name.hasSuffix("succeed") }, all.first { $0.name.hasSuffix("error") })
        #expect(saved?.keys.isEmpty == true)
        #expect(refused?.texts[NSLocalizedDescriptionKey]?.contains("destinationExists") == true)
        #expect(refused?.keys.contains(NSUnderlyingErrorKey) == true)
        let ends = all.filter { $0.name == "task.complete" }
        #expect(ends.first?.texts[NotificationObserver.UserInfoKey.assetPath]?.hasSuffix("file") == true)
        #expect(ends.last?.keys.contains(NotificationObserver.UserInfoKey.assetPath) == false)
        #expect(ends.allSatisfy { !$0.keys.contains(NotificationObserver.UserInfoKey.responseSerializer) })
    }

    @Test(.bug(id: "F505")) func `1.3.5 an optional value that is nil is no value`() async throws {
        struct User: Codable, Sendable {}
        let task = self.session(status: 204, body: "").dataTask(
            with: self.request,
            serializer: .decodable(User?.self)
        )
        task.resume()
        #expect(try await task.value == nil)
        await self.log.wait(for: 2)
        let end = try #require(self.log.all.last)
        #expect(end.name == "task.complete")
        #expect(!end.keys.contains(NotificationObserver.UserInfoKey.serializedResponse))
        #expect(end.keys.contains(NotificationObserver.UserInfoKey.responseSerializer))
    }

    @Test(.bug(id: "F505")) func `1.3.5 a response that became a download has no serializer`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let task = self.session().dataTask(with: self.request, serializer: .data) { _ in .becomeDownload(to: file) }
        task.resume()
        await self.log.wait(for: 3)
        let end = try #require(self.log.all.first { $0.name == "task.complete" })
        #expect(end.keys.contains(NotificationObserver.UserInfoKey.assetPath))
        #expect(!end.keys.contains(NotificationObserver.UserInfoKey.responseSerializer))
    }

    @Test(.bug(id: "F505")) func `1.3.5 a stored response has no metrics`() async throws {
        let session = self.session(headers: [.cacheControl: "max-age=60"]) { $0.cache = .memory() }
        _ = try await session.response(for: self.request)
        let task = session.dataTask(with: self.request, serializer: .data)
        task.resume()
        await self.log.wait(for: 2)
        #expect(task.response?.cacheStatus?.isHit == true && task.metrics == nil)
        let end = try #require(self.log.all.last)
        #expect(end.keys.contains(NotificationObserver.UserInfoKey.responseData))
        #expect(!end.keys.contains(NotificationObserver.UserInfoKey.sessionTaskMetrics))
    }

    @Test func `1.3.5 a session posts that it is invalid`() async throws {
        let session = self.session()
        _ = try await session.response(for: self.request)
        session.invalidate(cancellingTasks: true)
        await self.log.wait(for: 1)
        #expect(self.log.all.map(\.name) == ["session.invalidate"])
        #expect(self.log.all.first?.objectID == ObjectIdentifier(session))
    }
}
