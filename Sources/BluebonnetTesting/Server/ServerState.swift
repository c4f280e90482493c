// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// The state shared by the server and its connections.
struct ServerState: Sendable {
    var script: CircularBuffer<ScriptedResponse> = []
    private var handlers: [String: TestServer.Handler] = [:]
    /// The handlers of paths with a wildcard; the last one that matches is used.
    private var patternHandlers: [(pattern: PathPattern, handler: TestServer.Handler)] = []
    /// The handler of requests that no other handler matches.
    var anyHandler: TestServer.Handler?
    var records: CircularBuffer<RecordedRequest> = []
    var recordedByteCount = 0
    var droppedRecordCount = 0
    var failures: [TestServerError] = []
    var connections = ConnectionCounts()
    var channels: [Int: any Channel] = [:]
    var isShutDown = false

    /// Sets the handler of a path.
    mutating func respond(to pattern: PathPattern, with handler: @escaping TestServer.Handler) {
        guard pattern.hasWildcard else {
            self.handlers[pattern.text] = handler
            return
        }
        self.patternHandlers.removeAll { $0.pattern == pattern }
        self.patternHandlers.append((pattern, handler))
    }

    /// The handler of a path; nil if there is none.
    func handler(for path: String) -> TestServer.Handler? {
        self.handlers[path] ?? self.patternHandlers.last { $0.pattern.matches(path) }?.handler ?? self.anyHandler
    }

    /// Stores a request for `takeRequest()`; beyond the limits, the oldest ones are dropped.
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

    /// Removes and returns the oldest request.
    mutating func takeRecord() -> RecordedRequest? {
        guard let record = self.records.popFirst() else { return nil }
        self.recordedByteCount -= record.body.count
        return record
    }

    /// Stores a failure; only the first hundred are kept.
    mutating func fail(_ error: TestServerError) {
        if self.failures.count < 100 { self.failures.append(error) }
    }
}

/// The numbers of a server's connections.
public struct ConnectionCounts: Sendable, Hashable {
    /// The number of open connections.
    public var open = 0
    /// The number of connections accepted so far.
    public var total = 0
    /// The number of completed TLS handshakes.
    public var handshakes = 0
    /// The number of failed TLS handshakes, for example because the client refused the certificate.
    public var failedHandshakes = 0
    /// The number of requests whose head has arrived.
    public var requests = 0
}

/// The event loops of every test server of the process.
///
/// They are never shut down, so a server may be released at any time, and they do not slow down a client's own loops.
enum ServerLoops {
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
}
