// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// When a call has ended, nothing of its request is kept: not by the session, not by the pool, and not by a connection that stays open.
@Suite(.timeLimit(.minutes(1))) struct KeptAliveTests {
    /// What the closures of a request hold.
    final class Guest: Sendable {}

    /// A server, a session, and the guests of the requests that were made.
    struct Scene: Sendable {
        let server: TestServer
        let session: Session
        let directory: TemporaryDirectory
        fileprivate let guests = Guests()

        func request(_ path: String, _ method: HTTPRequest.Method = .get) throws -> Request {
            let guest = Guest()
            self.guests.add(guest)
            var request = Request(method: method, url: try Peer.url(self.server.url + path))
            request.transportOptions.onInformational = { _, _ in _ = guest }
            request.transportOptions.trailers = {
                _ = guest
                return [:]
            }
            return request
        }
    }

    /// References that keep nothing alive.
    fileprivate final class Guests: Sendable {
        private struct Reference: Sendable {
            weak var guest: Guest?
        }

        private let references = Mutex([Reference]())

        func add(_ guest: Guest) { self.references.withLock { $0.append(Reference(guest: guest)) } }

        var count: Int { self.references.withLock { $0.count } }

        var aliveCount: Int { self.references.withLock { $0.count { $0.guest != nil } } }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isSecure = false
        var configure: @Sendable (inout Session.Configuration) -> Void = { _ in }
        var run: @Sendable (Scene) async throws -> Void

        init(_ name: String, isSecure: Bool = false, run: @escaping @Sendable (Scene) async throws -> Void) {
            (self.testDescription, self.isSecure, self.run) = (name, isSecure, run)
        }

        func configured(_ configure: @escaping @Sendable (inout Session.Configuration) -> Void) -> Case {
            var configured = self
            configured.configure = configure
            return configured
        }
    }

    static let origin = RangeOrigin(byteCount: 200_000, fields: [.acceptRanges: "bytes"])

    static let cases = [
        Case("a response") { _ = try await $0.session.response(for: $0.request("/whole")) },
        Case("HTTP/2", isSecure: true) { _ = try await $0.session.response(for: $0.request("/whole")) },
        Case("many at a time") { scene in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask { _ = try await scene.session.response(for: scene.request("/whole")) }
                }
                try await group.waitForAll()
            }
        },
        Case("a body that is read") { scene in
            let response = try await scene.session.send(scene.request("/whole"))
            for try await _ in response.body {}
        },
        Case("a body that is not read") { _ = try await $0.session.send($0.request("/whole")) },
        Case("a body that is given up") { scene in
            let response = try await scene.session.send(scene.request("/whole"))
            for try await _ in response.body { break }
        },
        Case("a cancelled call") { scene in
            let task = Task { _ = try await scene.session.response(for: scene.request("/silent")) }
            _ = try await scene.server.takeRequest()
            task.cancel()
            _ = await task.result
        },
        Case("calls that are cancelled in the queue") { scene in
            let tasks = (0..<5).map { _ in
                Task { _ = try await scene.session.response(for: scene.request("/silent")) }
            }
            _ = try await scene.server.takeRequest()
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
        .configured { $0.maximumConcurrentRequests = 1 },
        Case("a limit that is reached") { scene in
            var request = try scene.request("/silent")
            request.options.totalTimeout = .milliseconds(50)
            _ = try? await scene.session.response(for: request)
        },
        Case("a server that is not there") { scene in
            var request = try scene.request("/whole")
            request.url = try Peer.url("http://127.0.0.1:1/")
            _ = try? await scene.session.response(for: request)
        },
        Case("a redirect") { _ = try await $0.session.response(for: $0.request("/moved")) },
        Case("attempts that are repeated") { _ = try await $0.session.response(for: $0.request("/failing")) }
            .configured { $0.retries = .idempotent(attempts: 3) },
        Case("a challenge") { scene in
            var request = try scene.request("/challenge")
            request.authentication = .password("ada", "secret")
            _ = try await scene.session.response(for: request)
        },
        Case("cookies") { scene in
            for _ in 0..<3 { _ = try await scene.session.response(for: scene.request("/cookie")) }
        }
        .configured { $0.cookies = CookieJar() },
        Case("a stored response") { scene in
            for _ in 0..<3 { _ = try await scene.session.response(for: scene.request("/stored")) }
        }
        .configured { $0.cache = .memory() },
        Case("shared exchanges") { scene in
            async let first = scene.session.response(for: scene.request("/whole"))
            async let second = scene.session.response(for: scene.request("/whole"))
            _ = try await (first, second)
        }
        .configured { $0.deduplication = .identical },
        Case("a download") { scene in
            _ = try await scene.session.download(scene.request("/whole"), to: scene.directory.file("a"))
        },
        Case("a download in parts") { scene in
            var policy = DownloadPolicy.resuming
            (policy.parallelism, policy.smallestRangeByteCount) = (4, 1000)
            _ = try await scene.session.download(scene.request("/whole"), to: scene.directory.file("a"), policy: policy)
        },
        Case("a download that breaks off") { scene in
            let destination = scene.directory.file("a")
            _ = try? await scene.session.download(scene.request("/cut"), to: destination, policy: .resuming)
        },
        Case("events") { scene in
            for try await _ in scene.session.events(for: try scene.request("/events")) { break }
        },
        Case("a task") { scene in
            let task = scene.session.dataTask(with: try scene.request("/whole"), serializer: HTTPResponseSerializer())
            task.resume()
            _ = try await task.value
        },
        Case("a task that is cancelled") { scene in
            let task = scene.session.dataTask(with: try scene.request("/silent"), serializer: HTTPResponseSerializer())
            task.resume()
            _ = try await scene.server.takeRequest()
            task.cancel()
            _ = try? await task.value
        },
    ]

    private static func serve(_ server: TestServer) {
        server.respond(to: "/whole") { self.origin.response(to: $0) }
        server.respond(to: "/cut") { self.origin.response(to: $0, .close(.afterBody(50_000))) }
        server.respond(to: "/silent") { _ in ScriptedResponse(effect: .stall(.beforeResponse)) }
        server.respond(to: "/moved") { _ in ScriptedResponse(status: .found, headers: [.location: "/whole"]) }
        let failures = Recorder<Int>()
        server.respond(to: "/failing") { _ in
            failures.record(1)
            return ScriptedResponse(status: failures.elements.count < 3 ? .serviceUnavailable : .ok)
        }
        server.respond(to: "/challenge") { request in
            let isKnown = request.headers[.authorization] != nil
            let challenge: HTTPFields = [.wwwAuthenticate: #"Basic realm="r""#]
            return ScriptedResponse(status: isKnown ? .ok : .unauthorized, headers: isKnown ? [:] : challenge)
        }
        server.respond(to: "/cookie") { _ in ScriptedResponse(headers: [.setCookie: "a=b"]) }
        server.respond(to: "/stored") { _ in ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: "stored") }
        server.respond(to: "/events") { _ in
            ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "data: one\n\ndata: two\n\n")
        }
    }

    @Test(arguments: Self.cases) func `nothing of a request outlives its call`(_ one: Case) async throws {
        try await TestServer.withServer(tls: one.isSecure ? TestServer.TLS() : nil) { server in
            Self.serve(server)
            var configuration = Session.Configuration()
            one.configure(&configuration)
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            let scene = Scene(server: server, session: session, directory: try TemporaryDirectory())
            try await one.run(scene)
            #expect(scene.guests.count > 0)
            // What is being let go on another thread is gone in a moment.
            let end = ContinuousClock.now.advanced(by: .seconds(10))
            while scene.guests.aliveCount > 0, ContinuousClock.now < end { await Task.yield() }
            #expect(scene.guests.aliveCount == 0)
            await session.transport.shutdown()
        }
    }
}
