// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// What the server and its connections share.
struct ServerState: Sendable {
    var script: CircularBuffer<ScriptedResponse> = []
    var handlers: [String: TestServer.Handler] = [:]
    /// Answers what no other handler does.
    var handler: TestServer.Handler?
    var records: CircularBuffer<RecordedRequest> = []
    var recordedByteCount = 0
    var droppedRecordCount = 0
    var failures: [TestServerError] = []
    var connections = ConnectionCounts()
    var channels: [Int: any Channel] = [:]
    var isShutDown = false

    /// Keeps a request for `takeRequest()`; the oldest ones go when nobody takes them.
    mutating func record(_ request: RecordedRequest, limits: TestServer.Configuration) {
        self.records.append(request)
        self.recordedByteCount += request.body.count
        while self.records.count > limits.untakenRequestLimit || self.recordedByteCount > limits.untakenByteLimit,
            self.records.count > 1
        {
            self.recordedByteCount -= self.records.removeFirst().body.count
            self.droppedRecordCount += 1
        }
    }

    /// Takes the oldest request.
    mutating func takeRecord() -> RecordedRequest? {
        guard let record = self.records.popFirst() else { return nil }
        self.recordedByteCount -= record.body.count
        return record
    }

    /// Keeps a failure; a flood of them keeps the first hundred.
    mutating func fail(_ error: TestServerError) {
        if self.failures.count < 100 { self.failures.append(error) }
    }
}

/// How many connections a server has and had.
public struct ConnectionCounts: Sendable, Hashable {
    /// The connections that are open now.
    public var open = 0
    /// The connections that were ever accepted.
    public var total = 0
    /// The TLS handshakes that were completed.
    public var handshakes = 0
    /// The TLS handshakes that failed, because the client refused the certificate for example.
    public var failedHandshakes = 0
    /// The requests whose head has arrived.
    public var requests = 0
}

/// The loops of every test server of the process.
///
/// They are never shut down, so a server may be dropped at any time, and a client's own loops are not slowed down by its peer.
enum ServerLoops {
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
}
