// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import HTTPTypes
import Synchronization

/// A transport that lets another one work and remembers what passed.
///
/// ``entries`` has the heads, for assertions; ``archive`` has whole exchanges, to be written into a file and answered from by a
/// ``ReplayTransport``. A streamed body stays a stream: it is copied while it is read, in both directions.
///
/// ```swift
/// let recorder = RecordingTransport(wrapping: NIOTransport.shared)
/// // … make calls through a session with this transport, then:
/// try recorder.archive.write(to: URL(filePath: "users.har"))
/// ```
public final class RecordingTransport: Transport {
    /// One exchange, after its end.
    public struct Entry: Sendable {
        /// What was asked.
        public var request: TransportRequest
        /// The status and the header fields that came back, or why none did.
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
    ///   - base: Does the work.
    ///   - redaction: What ``archive`` leaves out. The secrets unless given: values of fields, queries, forms and JSON members whose names say so.
    ///   - bodyLimit: The most bytes that are kept of each body, 4 MiB unless given. Of a longer one only the length is kept.
    public init(
        wrapping base: any Transport,
        redaction: Redaction = .secrets,
        bodyLimit: Int = 4 * 1024 * 1024
    ) {
        self.base = base
        self.redaction = redaction
        self.bodyLimit = bodyLimit
    }

    /// The exchanges that have ended (of a streamed response: whose head has arrived), in the order of their ends.
    public var entries: [Entry] { self.state.withLock { $0.entries } }

    /// The requests of ``entries``.
    public var requests: [TransportRequest] { self.entries.map(\.request) }

    /// The exchanges whose last byte has arrived, or that have failed, in the order in which they began; without secrets.
    public var archive: HTTPArchive {
        let recordings = self.state.withLock { $0.recordings }
        return HTTPArchive(entries: recordings.compactMap { $0.entry(hiding: self.redaction) })
    }

    /// What the other transport supports.
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
