// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// Records one exchange: copies both bodies as they are read.
final class ArchiveRecording: Sendable {
    private struct State {
        var requestBody: BodyCopy
        var responseBody: BodyCopy
        var head: HTTPResponse?
        /// Whether the reader of the response stopped before the end.
        var isAbandoned = false
        var trailers = HTTPFields()
        var failure: String?
        var failureKind: HTTPArchive.FailureKind?
        var ended: ContinuousClock.Instant?
    }

    private let request: TransportRequest
    private let started = Date()
    private let begin = ContinuousClock.now
    private let state: Mutex<State>

    init(_ request: TransportRequest, bodyLimit: Int) {
        self.request = request
        let copy = BodyCopy(limit: bodyLimit)
        self.state = Mutex(State(requestBody: copy, responseBody: copy))
        self.state.withLock { state in
            switch request.body {
            case .none: break
            case .bytes(let bytes): state.requestBody.append(bytes)
            case .reader(let length, _, _): state.requestBody.begin(length: length)
            case .file(let file): state.requestBody.begin(length: file.byteCount)
            }
        }
    }

    /// The request, with a body that is copied while it is read.
    var recordedRequest: TransportRequest {
        var request = self.request
        let length: Int64?
        switch request.body {
        case .none, .bytes: return request
        case .reader(let known, _, _): length = known
        case .file(let file): length = file.byteCount
        }
        let body = request.body
        request.body = .reader(length: length, isReplayable: body.isReplayable) {
            guard let reader = try body.makeReader() else { return CopyingReader(base: EmptyReader(), recording: self) }
            // Another reader means another attempt.
            self.state.withLock { $0.requestBody.begin(length: length) }
            return CopyingReader(base: reader, recording: self)
        }
        return request
    }

    /// Records the head of the response.
    func answered(_ response: TransportResponse) {
        let head = HTTPResponse(status: response.status, headerFields: response.headers)
        self.state.withLock { $0.head = head }
    }

    /// Records that the exchange failed.
    func fail(_ error: any Error) {
        let end = ContinuousClock.now
        let kind = (error as? TransportError).map { error in
            HTTPArchive.FailureKind(error.code, phase: error.phase, isRequestSent: error.isRequestSent)
        }
        self.state.withLock { state in
            state.failure = String(describing: error)
            state.failureKind = kind
            state.ended = end
        }
    }

    fileprivate func read(_ bytes: UnsafeRawBufferPointer) {
        self.state.withLock { state in
            if bytes.isEmpty { state.requestBody.end() } else { state.requestBody.append(ByteBuffer(bytes: bytes)) }
        }
    }

    /// Returns the archive entry; nil while the exchange is in progress.
    func entry(hiding redaction: Redaction) -> HTTPArchive.Entry? {
        let state = self.state.withLock { $0 }
        guard let ended = state.ended else { return nil }
        let request = HTTPArchive.Request(
            method: self.request.method,
            url: "\(self.request.origin)\(self.request.target)",
            headers: self.request.headers,
            body: state.requestBody.body
        )
        var response = state.head.map { head in
            HTTPArchive.Response(status: head.status, headers: head.headerFields, body: state.responseBody.body)
        }
        response?.isBodyAbandoned = state.isAbandoned
        response?.trailers = state.trailers
        // A transport that decodes a body removes the field.
        response?.isBodyEncoded = state.head?.headerFields.hasContentCoding ?? false
        var entry = HTTPArchive.Entry(
            started: self.started,
            duration: ended - self.begin,
            request: request.hiding(redaction),
            // A response that failed is replayed as its failure, so it is omitted.
            response: state.failure == nil ? response?.hiding(redaction) : nil,
            failure: state.failure
        )
        entry.failureKind = state.failureKind
        return entry
    }
}

extension ArchiveRecording: ResponseBodySink {
    func write(_ bytes: ByteBuffer) async throws {
        self.state.withLock { $0.responseBody.append(bytes) }
    }

    func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async {
        let end = ContinuousClock.now
        self.state.withLock { state in
            state.trailers = trailers ?? HTTPFields()
            state.ended = end
        }
    }

    func abort(_ error: any Error) {
        guard error is CancellationError else { return self.fail(error) }
        // The reader had enough, which is no failure.
        let end = ContinuousClock.now
        self.state.withLock { state in
            state.isAbandoned = !self.isWhole(state.responseBody, of: state.head)
            state.ended = end
        }
    }

    /// Whether a body has all its bytes: a reader that knows the length need not ask for the end.
    private func isWhole(_ body: BodyCopy, of head: HTTPResponse?) -> Bool {
        // RFC 9110 section 6.4.1: these have no body, whatever their Content-Length says.
        if self.request.method == .head || head?.status == .noContent || head?.status == .notModified { return true }
        return body.byteCount == head?.headerFields[.contentLength].flatMap { Int64($0) }
    }
}

/// The bytes of a body up to a limit, and their total number.
private struct BodyCopy {
    private let limit: Int
    private var bytes = ByteBuffer()
    private(set) var byteCount: Int64 = 0
    /// Whether the body is read, and has not been read to its end.
    private var isOpen = false
    /// The declared length of a body that is read; nil if it has none.
    private var length: Int64?

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    /// A part of a body can be neither compared nor sent again, so of a body that was not read to its end, only the
    /// declared length is kept.
    var body: HTTPArchive.Body {
        // A transport need not read the end of a body after all the bytes that it has declared.
        guard self.isOpen, self.byteCount != self.length else {
            return HTTPArchive.Body(self.bytes, of: self.byteCount)
        }
        return HTTPArchive.Body(ByteBuffer(), of: self.length ?? HTTPArchive.Body.unknownByteCount)
    }

    /// Begins with a body that is read.
    mutating func begin(length: Int64?) {
        self = BodyCopy(limit: self.limit)
        self.isOpen = true
        self.length = length
    }

    mutating func end() { self.isOpen = false }

    mutating func append(_ bytes: ByteBuffer) {
        self.byteCount += Int64(bytes.readableBytes)
        // A part of a body can be neither sent again nor replayed, so a body beyond the limit is not kept at all.
        if self.byteCount > Int64(self.limit) {
            self.bytes = ByteBuffer()
        } else {
            self.bytes.writeImmutableBuffer(bytes)
        }
    }
}

/// Copies the bytes of a request body.
private struct CopyingReader: TransportBodyReader {
    var base: any TransportBodyReader
    let recording: ArchiveRecording

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try self.base.read(into: buffer)
        // The wrapped transport refuses a number that cannot be true.
        if count >= 0, count <= buffer.count { self.recording.read(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return count
    }

    var delayBeforeNextRead: Duration { self.base.delayBeforeNextRead }

    var isReadable: Bool { self.base.isReadable }

    func whenReadable(_ notify: @escaping @Sendable () -> Void) { self.base.whenReadable(notify) }
}

/// An empty body.
private struct EmptyReader: TransportBodyReader {
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
}
