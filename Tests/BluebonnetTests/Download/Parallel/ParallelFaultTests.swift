// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// What a server may answer to a request for a part while the first response is under way.
@Suite(.timeLimit(.minutes(2))) struct ParallelFaultTests {
    /// A row of `Fixtures/downloads/parallel-faults.json`.
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        /// What is sent: a `part` of the file, the `old` or the `new` one in full, nothing (`empty`), or a `redirect`.
        var answer: String
        var status: Int?
        /// Header fields instead of the right ones; null takes one away.
        var fields: [String: String?]?
        var total: Int64?
        var shift: Int64?
        /// How many bytes the body lacks.
        var short: Int?
        /// Why the download begins again; null if it does not.
        var restart: String?

        var testDescription: String { self.name }
    }

    static let byteCount: Int64 = 64_000
    static let old = RangeOrigin(byteCount: byteCount, fields: [.acceptRanges: "bytes"])
    static let new = RangeOrigin(byteCount: byteCount, entityTag: #""b""#, shift: 777, fields: [.acceptRanges: "bytes"])

    private static func answer(_ row: Row, _ request: RecordedRequest, _ other: String) -> ScriptedResponse {
        let range = request.headers[.range]
        var response = Self.old.response(range: range, condition: nil)
        switch row.answer {
        case "new": response = Self.new.response(range: nil, condition: nil)
        case "old": response = Self.old.response(range: nil, condition: nil)
        case "redirect": return ScriptedResponse(status: .found, headers: [.location: other])
        case "empty": return ScriptedResponse(status: .init(code: row.status ?? 500))
        default:
            let first = range.flatMap { Int64($0.dropFirst("bytes=".count).prefix { $0 != "-" }) } ?? 0
            if let shift = row.shift {
                response = Self.old.response(range: "bytes=\(first + shift)-\(first + shift + 99)", condition: nil)
            }
            if let total = row.total, let value = response.headers[.contentRange]?.split(separator: "/").first {
                response.headers[.contentRange] = "\(value)/\(total)"
            }
            if let short = row.short, case .bytes(let bytes) = response.body {
                response.body = .bytes(Array(bytes.dropLast(short)))
            }
            for (name, value) in row.fields ?? [:] { HTTPField.Name(name).map { response.headers[$0] = value } }
        }
        return response
    }

    @Test(arguments: try Fixture.load("downloads/parallel-faults", as: [Row].self))
    func `the file is right whatever the server answers to a request for a part`(_ row: Row) async throws {
        let judged = Gate()
        var configuration = Session.Configuration()
        configuration.observers = [EndedParts(count: 2, opening: judged)]
        try await DownloadScene.run(configuration) { scene in
            try await TestServer.withServer { other in
                other.respond(to: "/file") { Self.old.response(to: $0) }
                let changes = row.restart != nil
                let whole = Recorder<Bool>()
                scene.server.respond(to: "/file") { request in
                    guard request.headers[.range] == nil else {
                        return Self.answer(row, request, "\(other.url)/file")
                    }
                    defer { whole.record(true) }
                    if changes, !whole.elements.isEmpty { return Self.new.response(to: request) }
                    // Not yet, so that the first response is under way when the others are judged.
                    return Self.old.response(to: request, .hold(.afterBody(1_000), until: judged))
                }
                let file = try await scene.download(policy: ParallelDownloadTests.policy(3, smallest: 4_000))
                #expect(file.restart?.rawValue == row.restart)
                #expect(try scene.directory.contents("a") == (changes ? Self.new : Self.old).bytes)
                #expect(try scene.directory.names == ["a"])
                #expect(whole.elements.count == (changes ? 2 : 1))
            }
        }
    }

    @Test(.bug(id: "F278")) func `a refusal of a part whose body never ends does not hold the download`() async throws {
        let (clock, isRefused) = (ManualSessionClock(), Gate())
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        try await DownloadScene.run(configuration) { (scene: DownloadScene) async throws in
            scene.server.respond(to: "/file") { request in
                guard request.headers[.range] != nil else {
                    return Self.old.response(to: request, .hold(.afterBody(1_000), until: isRefused))
                }
                return ScriptedResponse(
                    status: .serviceUnavailable,
                    body: .pattern(10_000),
                    effect: .stall(.afterBody(100))
                )
            }
            let task = Task {
                try await scene.download(policy: ParallelDownloadTests.policy(2, smallest: Self.byteCount / 2))
            }
            await clock.waitForSleeps(1)
            isRefused.open()
            clock.advance(by: .seconds(1))
            #expect(try await task.value.byteCount == Self.byteCount)
            #expect(try scene.directory.contents("a") == Self.old.bytes)
        }
    }

    @Test func `a part that is refused when the first response has ended is asked for again`() async throws {
        let (isAnswered, hasEnded) = (Gate(), Gate())
        let kept = 5_000
        var configuration = Session.Configuration()
        configuration.observers = [
            WrittenBytes(count: 1_000 + Int64(kept), opening: isAnswered),
            ReleasedConnection(gate: hasEnded),
        ]
        try await DownloadScene.run(configuration) { scene in
            let parts = Recorder<Bool>()
            scene.server.respond(to: "/file") { request in
                guard request.headers[.range] != nil else {
                    // Its last bytes never come, so that it ends when the client gives it up, and not before.
                    var response = Self.old.response(to: request, .hold(.afterBody(1_000), until: isAnswered))
                    response.headers[.contentLength] = "\(Self.byteCount)"
                    response.framing = .asGiven
                    if case .bytes(let bytes) = response.body { response.body = .bytes(Array(bytes.dropLast())) }
                    return response
                }
                defer { parts.record(true) }
                switch parts.elements.count {
                case 0:
                    // Answered, so that the first receiver leaves it alone, and cut when that one has ended.
                    var response = Self.old.response(to: request, .hold(.afterBody(Int64(kept)), until: hasEnded))
                    if case .bytes(let bytes) = response.body { response.body = .bytes(Array(bytes.prefix(kept))) }
                    response.framing = .chunked(byteCount: kept)
                    return response
                case 1: return ScriptedResponse(status: .serviceUnavailable)
                default: return Self.old.response(to: request)
                }
            }
            let policy = ParallelDownloadTests.policy(3, smallest: Self.byteCount / 2)
            let file = try await scene.download(policy: policy)
            #expect(file.restart == nil)
            #expect(try scene.directory.contents("a") == Self.old.bytes)
            #expect(parts.elements.count == 3)
        }
    }

    /// What ends a part in the middle.
    static let effects: [SocketEffect] = [
        .close(.afterBody(100)), .reset(.afterBody(5_000)), .drop(.afterHead), .close(.beforeResponse),
    ]

    @Test(arguments: effects)
    func `a part that breaks is asked for again`(_ effect: SocketEffect) async throws {
        try await DownloadScene.run { scene in
            let broken = Recorder<Bool>()
            scene.server.respond(to: "/file") { request in
                guard request.headers[.range] != nil else {
                    return Self.old.response(to: request, .throttle(byteCount: 1_000, every: .milliseconds(10)))
                }
                defer { broken.record(true) }
                return Self.old.response(to: request, broken.elements.isEmpty ? effect : nil)
            }
            let file = try await scene.download(policy: ParallelDownloadTests.policy(3, smallest: 4_000))
            #expect(file.restart == nil)
            #expect(try scene.directory.contents("a") == Self.old.bytes)
        }
    }
}

/// Opens a gate when so many requests for parts have come to their end.
private final class EndedParts: SessionObserver {
    private let count: Int
    private let gate: Gate
    private let ended = Atomic(0)

    init(count: Int, opening gate: Gate) {
        (self.count, self.gate) = (count, gate)
    }

    func observe(_ event: CallEvent, of call: Call) {
        guard call.originalRequest.headers.contains(.range) else { return }
        switch event {
        case .callEnded, .callFailed, .callCancelled:
            if self.ended.add(1, ordering: .relaxed).newValue == self.count { self.gate.open() }
        default: break
        }
    }
}

/// Opens a gate when a connection is released: its response has ended, or has been given up.
private struct ReleasedConnection: SessionObserver {
    let gate: Gate

    func observe(_ event: CallEvent, of call: Call) {
        if case .transport(.connectionReleased) = event { self.gate.open() }
    }
}

/// Opens a gate when so many bytes have been written.
private final class WrittenBytes: SessionObserver {
    private let count: Int64
    private let gate: Gate

    init(count: Int64, opening gate: Gate) {
        (self.count, self.gate) = (count, gate)
    }

    func observe(_ event: CallEvent, of call: Call) {
        if case .download(.wrote(_, let total, _)) = event, total >= self.count { self.gate.open() }
    }
}
