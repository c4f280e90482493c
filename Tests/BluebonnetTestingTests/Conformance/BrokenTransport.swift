// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// An engine with a layer around it that breaks one rule of the contract.
final class BrokenTransport: Transport {
    /// What is wrong; the raw value is the name of the check that is to notice it.
    enum Fault: String, CaseIterable {
        case status
        case responseFields = "response-fields"
        case head
        case informational
        case uninterpreted
        case contentCoding = "content-coding"
        case body
        case collected
        case length
        case stream
        case trailers
        case droppedBody = "dropped-body"
        case method
        case target
        case requestFields = "request-fields"
        case requestBody = "request-body"
        case concurrency
        case splitting
        case requestBodyFailure = "request-body-failure"
        case trust
        case cancelledBefore = "cancelled-before"
        case cancelledWhileWaiting = "cancelled-while-waiting"
        case connectionClosed = "connection-closed"
        case bodyCutShort = "body-cut-short"
        case limit
        case timeout
        case shutdown
        case shutdownUnderWay = "shutdown-under-way"
    }

    private struct State {
        var isShutDown = false
        var exchanges = 0
        var last: TransportResponse?
        var hasUnfinishedBody = false
    }

    private let base: NIOTransport
    private let fault: Fault
    private let state = Mutex(State())

    init(_ base: NIOTransport, _ fault: Fault) {
        self.base = base
        self.fault = fault
    }

    var trustSupport: TrustSupport { self.base.trustSupport }

    func shutdown() async {
        self.state.withLock { $0.isShutDown = true }
        await self.base.shutdown()
    }

    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let changed = try await self.changed(request)
        do {
            return try await self.changed(try await self.send(changed), to: request)
        } catch let error as TransportError {
            throw try self.changed(error)
        }
    }

    // MARK: Faults of what is sent

    private func changed(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        switch self.fault {
        case .informational: request.onInformational = nil
        case .contentCoding where request.target == "/coded": request.target = "/status/200"
        case .method where request.method == .patch: request.method = .post
        case .target: request.target = request.target.split(separator: "%2F").joined(separator: "/")
        case .requestFields: request.headers[ConformanceNames.sent] = request.headers[ConformanceNames.sent]
        case .requestBody:
            if case .bytes(let bytes) = request.body, bytes.readableBytes > 1 {
                request.body = .bytes(bytes.getSlice(at: bytes.readerIndex, length: bytes.readableBytes - 1) ?? bytes)
            }
        case .splitting: request.target = String(request.target.prefix { !$0.isWhitespace && $0 != "\0" })
        case .trust: request.trust = nil
        case .limit:
            if case .collected(5) = request.responseMode { request.responseMode = .collected(upTo: 5000) }
        case .droppedBody where self.state.withLock { $0.hasUnfinishedBody }:
            throw TransportError(.connectFailed, phase: .connect, reason: "a body still holds the only connection")
        default: break
        }
        return request
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        let isFirst = self.state.withLock { state in
            state.exchanges += 1
            return state.exchanges == 1
        }
        defer { self.state.withLock { $0.exchanges -= 1 } }
        switch self.fault {
        case .cancelledBefore where Task.isCancelled && request.target != "/hang":
            return try await Task { try await self.base.exchange(request) }.value
        case .cancelledWhileWaiting:
            // It asks the flag once the exchange is over.
            try Task.checkCancellation()
            var request = request
            // Ends what would never end.
            if request.target == "/hang" { request.timeouts.total = .milliseconds(500) }
            return try await Task { [request] in try await self.base.exchange(request) }.value
        case .concurrency:
            let response = try await self.base.exchange(request)
            return self.state.withLock { state in
                defer { state.last = response }
                return isFirst ? response : state.last ?? response
            }
        case .connectionClosed:
            do {
                return try await self.base.exchange(request)
            } catch let error as TransportError where error.code == .connectionClosed && error.phase != .responseBody {
                return TransportResponse(status: .badGateway)
            }
        default: return try await self.base.exchange(request)
        }
    }

    // MARK: Faults of what comes back

    private func changed(_ error: TransportError) throws -> any Error {
        switch self.fault {
        case .requestBodyFailure where error.code == .bodyFailed: return error.underlying ?? CancellationError()
        case .timeout where error.code == .timedOut: return CancellationError()
        case .shutdown where error.code == .shutDown && !error.isRequestSent:
            return TransportError(.connectFailed, phase: .connect, reason: "nobody is there")
        case .shutdownUnderWay where error.code == .shutDown && error.isRequestSent: return CancellationError()
        default: return error
        }
    }

    private func changed(_ response: TransportResponse, to request: TransportRequest) async throws -> TransportResponse
    {
        var response = response
        switch self.fault {
        case .status where response.status.code >= 500: response.status = .badGateway
        case .responseFields:
            response.headers[ConformanceNames.repeated] = response.headers[ConformanceNames.repeated]
        case .head where request.method == .head: response.headers[.contentLength] = nil
        case .uninterpreted:
            if response.status.kind == .redirection, let location = response.headers[.location] {
                var next = request
                next.target = location
                return try await self.base.exchange(next)
            }
        case .body where request.target == "/bytes/16384":
            var bytes = try await response.body.collect(upTo: 20_000)
            bytes.setInteger(0, at: bytes.readerIndex + 9000, as: UInt64.self)
            response.body = ResponseBody(bytes)
        case .collected where request.target == "/bytes/70000":
            response.body = ResponseBody(source: BrokenBody(response.body, .collected), expectedLength: 70_000)
        case .length where request.target == "/bytes/70000" && request.responseMode == .streamed:
            response.body = ResponseBody(source: BrokenBody(response.body, .length), expectedLength: 80_000)
        case .stream where request.target == "/bytes/300000", .bodyCutShort, .droppedBody:
            guard request.responseMode == .streamed else { break }
            self.state.withLock { $0.hasUnfinishedBody = true }
            response.body = ResponseBody(
                source: BrokenBody(response.body, self.fault) { [weak self] in
                    self?.state.withLock { $0.hasUnfinishedBody = false }
                },
                expectedLength: response.body.expectedLength
            )
        case .trailers where request.target == "/trailers":
            response.body = ResponseBody(try await response.body.collect(upTo: 100))
        default: break
        }
        return response
    }
}

/// The names of fields that the checks use.
private enum ConformanceNames {
    static let sent = HTTPField.Name("x-sent") ?? .accept
    static let repeated = HTTPField.Name("x-repeated") ?? .accept
}

/// A body that breaks a rule.
private final class BrokenBody: ResponseBody.Source {
    private let base: ResponseBody
    private let fault: BrokenTransport.Fault
    private let finished: @Sendable () -> Void
    private let hasEnded = Mutex(false)
    /// The bytes of a body that has arrived already, until they are taken.
    private let arrived: Mutex<ByteBuffer?>

    init(_ base: ResponseBody, _ fault: BrokenTransport.Fault, finished: @escaping @Sendable () -> Void = {}) {
        self.base = base
        self.fault = fault
        self.finished = finished
        self.arrived = Mutex(base.collectedBytes.flatMap { $0.readableBytes > 0 ? $0 : nil })
    }

    var trailers: HTTPFields? { self.base.trailers }

    func next() async throws -> ByteBuffer? {
        if self.fault == .stream, self.hasEnded.withLock({ $0 }) {
            throw TransportError(.protocolViolation, phase: .responseBody, reason: "the body has ended")
        }
        do {
            let bytes = try await self.piece()
            if bytes == nil { self.end() }
            return bytes
        } catch {
            self.end()
            if self.fault == .bodyCutShort { return nil }
            throw error
        }
    }

    private func piece() async throws -> ByteBuffer? {
        if self.base.collectedBytes != nil { return self.arrived.withLock { $0.take() } }
        var iterator = self.base.makeAsyncIterator()
        return try await iterator.next()
    }

    private func end() {
        self.hasEnded.withLock { $0 = true }
        self.finished()
    }
}

/// A transport that never answers.
struct DeafTransport: Transport {
    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }

    func shutdown() async {}
}
