// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

/// Whatever happens in whatever order on a connection with a line of requests, each of them has one outcome, and it is its own.
@Suite(.timeLimit(.minutes(5))) struct PipelinePropertyTests {
    /// One response of the peer, and what its caller gets.
    private struct Answer {
        let method: HTTPRequest.Method
        let bytes: String
        let text: String

        /// The response to the request with a number, in one of many forms.
        init(_ number: Int, form: Int, closes: Bool = false) {
            let body = "body of \(number)"
            let last = closes ? "Connection: close\r\n" : ""
            let length = "Content-Length: \(body.utf8.count)\r\n"
            switch form % 6 {
            case 0:
                (self.method, self.text) = (.get, "200 \(body)")
                self.bytes = "HTTP/1.1 200 OK\r\n\(last)\(length)\r\n\(body)"
            case 1:
                (self.method, self.text) = (.get, "200 \(body)")
                let chunks = body.map { "1\r\n\($0)\r\n" }.joined()
                self.bytes = "HTTP/1.1 200 OK\r\n\(last)Transfer-Encoding: chunked\r\n\r\n\(chunks)0\r\nX: y\r\n\r\n"
            case 2:
                (self.method, self.text) = (.head, "200 ")
                self.bytes = "HTTP/1.1 200 OK\r\n\(last)\(length)\r\n"
            case 3:
                (self.method, self.text) = (.options, "204 ")
                self.bytes = "HTTP/1.1 204 No Content\r\n\(last)\r\n"
            case 4:
                (self.method, self.text) = (.get, "201 \(body)")
                self.bytes =
                    "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\nHTTP/1.1 201 Created\r\n\(last)\(length)\r\n\(body)"
            default:
                (self.method, self.text) = (.get, "200 ")
                self.bytes = "HTTP/1.1 200 OK\r\n\(last)Content-Length: 0\r\n\r\n"
            }
        }
    }

    @Test func `sends nothing once the peer has said that it will close`() async throws {
        let harness = try await PipelineHarness()
        let last = await harness.start("/last")
        await harness.feed([Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nha".utf8)])
        let late = await harness.start("/late")
        #expect(try await !harness.sent().contains("/late"))
        await harness.feed([Array("lf".utf8)])
        #expect(await last.outcome.value == .response("200 half"))
        #expect(await late.outcome.value == .elsewhere)
        #expect(!late.observer.events.contains { $0.name.hasPrefix("requestHead") }, "\(late.observer.events)")
    }

    // MARK: Cuts

    /// Cuts the responses to six requests at every third byte, and sees to it that the size of the pieces makes no difference.
    @Test(arguments: [nil, 2, 5], 0..<3)
    func `wherever the connection ends, what came whole is delivered and what had not begun goes elsewhere`(
        _ closing: Int?,
        _ shift: Int
    ) async throws {
        let answers = (0..<6).map { Answer($0, form: $0 + 2 * shift, closes: $0 == closing) }
        let bytes = answers.flatMap { Array($0.bytes.utf8) }
        for cut in stride(from: shift, through: bytes.count, by: 3) {
            let harness = try await PipelineHarness()
            var calls = [PipelineHarness.Call]()
            for (number, answer) in answers.enumerated() {
                calls.append(await harness.start("/\(number)", method: answer.method, streamed: number % 2 == 1))
            }
            await harness.feed(Self.pieces(bytes.prefix(cut), size: [1, 7, .max][(cut / 3) % 3]))
            await harness.close()
            var expected = [PipelineHarness.Outcome]()
            var end = 0
            for (number, answer) in answers.enumerated() {
                let start = end
                end += answer.bytes.utf8.count
                if let closing, number > closing {
                    expected.append(.elsewhere)
                } else if end <= cut {
                    expected.append(.response(answer.text))
                } else {
                    expected.append(start < cut ? .failed(.connectionClosed) : .elsewhere)
                }
            }
            var outcomes = [PipelineHarness.Outcome]()
            for call in calls { outcomes.append(await call.outcome.value) }
            #expect(outcomes == expected, "cut at \(cut)")
            #expect(try await harness.isEmpty())
            if outcomes != expected { return }
        }
    }

    private static func pieces(_ bytes: some Collection<UInt8>, size: Int) -> [[UInt8]] {
        var rest = Array(bytes)[...]
        var pieces = [[UInt8]]()
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }

    // MARK: Random histories

    @Test(arguments: UInt64(0)..<200) func `any order of events gives every exchange its own outcome`(
        _ seed: UInt64
    ) async throws {
        var history = History(seed: seed, harness: try await PipelineHarness())
        for _ in 0..<30 { await history.step() }
        await history.finish()
        let fault = try await history.fault()
        #expect(fault == nil, "seed \(seed)")
    }

    /// What has happened on one connection, and what its peer still has to say.
    private struct History {
        private let harness: PipelineHarness
        private var random: SplitMix
        private var answers = [Answer]()
        private var calls = [PipelineHarness.Call]()
        private var cancelled = Set<Int>()
        /// Where in the peer's bytes each response ends; one that the peer will not send has no end.
        private var ends = [Int]()
        private var bytes = [UInt8]()
        private var fedCount = 0
        private var isLast = false
        private var isClosedByPeer = false
        private let closes: Bool
        private let cancels: Bool

        init(seed: UInt64, harness: PipelineHarness) {
            self.harness = harness
            self.random = SplitMix(state: seed)
            self.closes = self.random.below(2) == 0
            self.cancels = self.random.below(2) == 0
        }

        mutating func step() async {
            switch self.random.below(12) {
            case 0...3: await self.start()
            case 4...9: await self.feed(self.random.below(80))
            case 10 where self.cancels: await self.cancel()
            case 11 where self.closes && self.random.below(4) == 0: await self.close()
            default: break
            }
        }

        private mutating func start() async {
            let number = self.calls.count
            let answer = Answer(
                number,
                form: self.random.below(6),
                closes: self.closes && self.random.below(8) == 0
            )
            let isAnswered = self.harness.isActive && !self.isLast
            self.calls.append(
                await self.harness.start("/\(number)", method: answer.method, streamed: self.random.below(2) == 0)
            )
            self.answers.append(answer)
            if isAnswered {
                self.bytes += Array(answer.bytes.utf8)
                self.ends.append(self.bytes.count)
                self.isLast = answer.bytes.contains("close")
            }
        }

        private mutating func feed(_ count: Int) async {
            guard self.harness.isActive else { return }
            let slice = self.bytes.dropFirst(self.fedCount).prefix(count)
            let pieces = PipelinePropertyTests.pieces(slice, size: 1 + self.random.below(40))
            self.fedCount += slice.count
            await self.harness.feed(pieces)
        }

        private mutating func cancel() async {
            guard !self.calls.isEmpty else { return }
            let number = self.random.below(self.calls.count)
            self.cancelled.insert(number)
            await self.harness.cancel(self.calls[number])
        }

        private mutating func close() async {
            self.isClosedByPeer = true
            await self.harness.close()
        }

        /// The peer says all that it has to say, and closes.
        mutating func finish() async {
            await self.feed(.max)
            await self.close()
        }

        /// What should not have been, if anything.
        func fault() async throws -> String? {
            let sent = try await self.harness.sent()
            guard try await self.harness.isEmpty() else { return "something is left on the connection" }
            for (number, call) in self.calls.enumerated() {
                let outcome = await call.outcome.value
                let names = call.observer.names.first ?? []
                if let fault = self.fault(number, outcome) { return "\(number): \(outcome), \(fault)" }
                let retries = names.count { $0 == "retried" }
                if retries != (outcome == .elsewhere ? 1 : 0) { return "\(number): retried \(retries) times" }
                if names.count(where: { ["ended", "failed", "cancelled"].contains($0) }) != 1 {
                    return "\(number): its events end with \(names)"
                }
                let count = sent.split(separator: "\r\n").count { $0.contains(" /\(number) HTTP/1.1") }
                if count > 1 { return "\(number): sent \(count) times" }
            }
            return nil
        }

        private func fault(_ number: Int, _ outcome: PipelineHarness.Outcome) -> String? {
            let end = number < self.ends.count ? self.ends[number] : nil
            let start = number == 0 ? 0 : number <= self.ends.count ? self.ends[number - 1] : nil
            let isWhole = end.map { $0 <= self.fedCount } ?? false
            let hasBegun = start.map { $0 < self.fedCount } ?? false
            switch outcome {
            case .response(let text):
                if text != self.answers[number].text { return "not its own response" }
                return isWhole ? nil : "a response that did not come"
            case .cancelled: return self.cancelled.contains(number) ? nil : "nobody cancelled it"
            case .elsewhere: return hasBegun && end != nil ? "sent again although its response had begun" : nil
            case .failed(let code):
                if code != .connectionClosed { return "for another reason" }
                return hasBegun && !isWhole ? nil : "although its response was whole or had not begun"
            }
        }
    }
}
