// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// One version of a file on a server that does ranges as RFC 9110 says.
struct RangeOrigin: Sendable {
    var byteCount: Int64 = 64
    var entityTag: String? = #""a""#
    /// Where in the pattern the file begins: another place gives other bytes.
    var shift: Int64 = 0
    var fields: HTTPFields = [:]
    var framing = ScriptedResponse.Framing.length

    var bytes: Data { Data(PatternBytes.bytes(in: self.shift..<self.shift + self.byteCount)) }

    var sha256: String {
        get async throws {
            #expect(self.shift == 0)
            return await PatternBytes.sha256(ofFirst: self.byteCount)
        }
    }

    func response(to request: RecordedRequest, _ effect: SocketEffect? = nil) -> ScriptedResponse {
        self.response(range: request.headers[.range], condition: request.headers[.ifRange], effect)
    }

    func response(range: String?, condition: String?, _ effect: SocketEffect? = nil) -> ScriptedResponse {
        var (first, end) = (Int64(0), self.byteCount)
        var status = 200
        if let range, condition == nil || condition == self.entityTag {
            let ends = range.dropFirst("bytes=".count).split(separator: "-")
            first = ends.first.flatMap { Int64($0) } ?? 0
            if ends.count == 2, let last = Int64(ends[1]) { end = min(last + 1, end) }
            status = first < self.byteCount ? 206 : 416
        }
        var response = ScriptedResponse(status: .init(code: status), headers: self.fields, effect: effect)
        if let entityTag { response.headers[.eTag] = entityTag }
        if status == 206 {
            response.headers[.contentRange] = "bytes \(first)-\(end - 1)/\(self.byteCount)"
        }
        if status == 416 {
            response.headers[.contentRange] = "bytes */\(self.byteCount)"
        } else {
            response.body = .bytes(PatternBytes.bytes(in: self.shift + first..<self.shift + end))
        }
        response.framing = self.framing
        return response
    }
}

/// Serves a list of responses to one path, one after the other, and keeps the requests; the last response is repeated.
final class ServedSteps: Sendable {
    typealias Step = @Sendable (RecordedRequest) -> ScriptedResponse

    private let steps: [Step]
    private let taken = Mutex<[RecordedRequest]>([])

    init(_ steps: [Step]) { self.steps = steps }

    var requests: [RecordedRequest] { self.taken.withLock { $0 } }

    /// What each request asked for; nil for the whole.
    var ranges: [String?] { self.requests.map { $0.headers[.range] } }

    func serve(_ request: RecordedRequest) -> ScriptedResponse {
        let index = self.taken.withLock { taken in
            taken.append(request)
            return taken.count - 1
        }
        return self.steps[min(index, self.steps.count - 1)](request)
    }
}

/// A server, a session and a directory for downloads that are interrupted.
struct DownloadScene: Sendable {
    let server: TestServer
    let session: Session
    let directory: TemporaryDirectory

    static func run(
        _ configuration: Session.Configuration = Session.Configuration(),
        _ body: (DownloadScene) async throws -> Void
    ) async throws {
        try await TestServer.withServer { server in
            let session = Session(configuration: configuration, transport: try server.makeTransport())
            try await body(DownloadScene(server: server, session: session, directory: TemporaryDirectory()))
            await session.transport.shutdown()
        }
    }

    /// Serves the steps at a path of their own.
    func serve(_ path: String = "/file", _ steps: ServedSteps.Step...) -> ServedSteps {
        let served = ServedSteps(steps)
        self.server.respond(to: path) { served.serve($0) }
        return served
    }

    /// Serves a response that ends after so many bytes, and whole ones after it.
    func serve(_ origin: RangeOrigin, cutAt byteCount: Int64, at path: String) -> ServedSteps {
        self.serve(
            path,
            { origin.response(to: $0, .close(.afterBody(byteCount))) },
            { origin.response(to: $0) }
        )
    }

    /// Downloads to `a`, and opens a gate when the file has so many bytes.
    ///
    /// Responses that are held until each of them has brought something cannot bring the others' parts.
    func download(opening gate: Gate, at byteCount: Int64, policy: DownloadPolicy) async throws -> DownloadedFile {
        let monitor = TransferMonitor()
        async let isOpened: Void = {
            for await progress in monitor.download where progress.completed >= byteCount { break }
            gate.open()
        }()
        let file = try await self.session.download(
            self.request(),
            to: self.directory.file("a"),
            policy: policy,
            monitor: monitor
        )
        await isOpened
        return file
    }

    func request(_ path: String = "/file") throws -> Request { Request(url: try Peer.url("\(self.server.url)\(path)")) }

    /// Downloads to `a`, and is interrupted.
    @discardableResult
    func failing(
        _ path: String = "/file",
        policy: DownloadPolicy = .resuming,
        options: DownloadOptions = []
    ) async throws -> SessionError {
        let error = await #expect(throws: SessionError.self) {
            try await self.session.download(
                self.request(path),
                to: self.directory.file("a"),
                destinationOptions: options,
                policy: policy
            )
        }
        return try #require(error)
    }

    /// Downloads to `a`.
    func download(_ path: String = "/file", policy: DownloadPolicy = .resuming) async throws -> DownloadedFile {
        try await self.session.download(self.request(path), to: self.directory.file("a"), policy: policy)
    }
}
