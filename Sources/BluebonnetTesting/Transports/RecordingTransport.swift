// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import HTTPTypes
import Synchronization

/// A transport that wraps another one and records its exchanges.
///
/// ``entries`` contains the heads, for assertions; ``archive`` contains whole exchanges, which can be written to a file
/// and replayed by a ``ReplayTransport``. A streamed body remains a stream: it is copied while it is read, in both
/// directions. Of a request's body that was not read to its end, because the exchange failed or was answered before,
/// only the declared length is kept; a ``ReplayTransport`` accepts any body of that length.
///
/// ```swift
/// let recorder = RecordingTransport(wrapping: NIOTransport.shared)
/// // … make calls through a session with this transport, then:
/// try recorder.archive.write(to: URL(filePath: "users.har"))
/// ```
public final class RecordingTransport: Transport {
    /// One finished exchange.
    public struct Entry: Sendable {
        /// The request.
        public var request: TransportRequest
        /// The status and the header fields of the response, or the error.
        public var outcome: Result<HTTPResponse, any Error>
    }

    private struct State {
        var entries: [Entry] = []
        var recordings: [ArchiveRecording] = []
    }

    private let base: any Transport
    private let redaction: Redaction
    private let bodyLimit: Int
    private let state = Mutex(State())

    /// Creates a transport around another one.
    ///
    /// - Parameters:
    ///   - base: The wrapped transport.
    ///   - redaction: What ``archive`` omits: secrets unless given, which are values of fields, queries, forms and JSON
    ///     members with secret names. Of a body of another format only the length is kept if a secret name occurs in
    ///     it.
    ///   - bodyLimit: The maximum number of bytes kept of each body, 4 MiB unless given. Of a longer body only the
    ///     length is kept.
    public init(
        wrapping base: any Transport,
        redaction: Redaction = .secrets,
        bodyLimit: Int = 4 * 1024 * 1024
    ) {
        self.base = base
        self.redaction = redaction
        self.bodyLimit = bodyLimit
    }

    /// The finished exchanges (if streamed, those whose response head has arrived), in the order in which they
    /// finished.
    public var entries: [Entry] { self.state.withLock { $0.entries } }

    /// The requests of ``entries``.
    public var requests: [TransportRequest] { self.entries.map(\.request) }

    /// The exchanges whose last byte has arrived, whose reader has stopped, or that have failed, in the order in which
    /// they began; without what the redaction hides.
    public var archive: HTTPArchive {
        let recordings = self.state.withLock { $0.recordings }
        return HTTPArchive(entries: recordings.compactMap { $0.entry(hiding: self.redaction) })
    }

    /// The wrapped transport's trust support.
    public var trustSupport: TrustSupport { self.base.trustSupport }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let recording = ArchiveRecording(request, bodyLimit: self.bodyLimit)
        self.state.withLock { $0.recordings.append(recording) }
        do {
            var response = try await self.base.exchange(recording.recordedRequest)
            recording.answered(response)
            response.body = await response.body.tee(to: recording)
            let head = HTTPResponse(status: response.status, headerFields: response.headers)
            self.state.withLock { $0.entries.append(Entry(request: request, outcome: .success(head))) }
            return response
        } catch {
            recording.fail(error)
            self.state.withLock { $0.entries.append(Entry(request: request, outcome: .failure(error))) }
            throw error
        }
    }

    public func shutdown() async {
        await self.base.shutdown()
    }
}
