// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TestServer {
    /// Appends responses to the script; the next requests receive them in this order, whatever their path.
    ///
    /// A request is assigned its response when its head has arrived.
    ///
    /// - Parameter responses: The responses.
    public func enqueue(_ responses: ScriptedResponse...) {
        self.state.update { $0.script.append(contentsOf: responses) }
    }

    /// The number of responses in the script that have not been assigned to a request.
    public var enqueuedCount: Int { self.state.read { $0.script.count } }

    /// Checks that no response is left in the script.
    ///
    /// - Throws: ``TestServerError/Code/unusedResponse``.
    func checkScript() throws(TestServerError) {
        let count = self.enqueuedCount
        guard count > 0 else { return }
        let reason = "\(count) of the enqueued responses had no request"
        throw TestServerError(.unusedResponse, reason: reason)
    }

    /// Responds to every request for a path, with any method, with a closure; scripted responses take precedence over
    /// it, and it takes precedence over built-in routes.
    ///
    /// - Parameters:
    ///   - path: The path, without a query, as in the request. A segment `*` matches any one segment, as in the rules of
    ///     ``StubTransport``; a path without one takes precedence over it, and of several patterns the last one.
    ///   - handler: Returns the response. If it throws, the client receives status 500 and ``takeFailures()`` the
    ///     error.
    public func respond(to path: String, with handler: @escaping Handler) {
        self.state.update { $0.respond(to: PathPattern(path), with: handler) }
    }

    /// Responds to every request without a scripted response or a handler for its path, in place of the built-in
    /// routes.
    ///
    /// - Parameter handler: Returns the response. If it throws, the client receives status 500 and ``takeFailures()``
    ///   the error.
    public func respond(with handler: @escaping Handler) {
        self.state.update { $0.anyHandler = handler }
    }

    /// Removes and returns the oldest recorded request, waiting for one if there is none.
    ///
    /// A request is recorded once its body has arrived. If the response has been sent (or the connection closed)
    /// before, it is recorded then, with ``RecordedRequest/isComplete`` false.
    ///
    /// After ``shutdown()`` it returns the requests that are left, and then throws without waiting.
    ///
    /// - Parameter limit: The maximum time to wait.
    /// - Returns: The request.
    /// - Throws: ``TestServerError/Code/timedOut``; ``TestServerError/Code/shutDown`` when the server is shut down;
    ///   `CancellationError` when the task is cancelled.
    public func takeRequest(within limit: Duration = .seconds(10)) async throws -> RecordedRequest {
        let result = try await self.state.wait(for: "a request", within: limit) {
            state -> Result<RecordedRequest, TestServerError>? in
            if let record = state.takeRecord() { return .success(record) }
            guard state.isShutDown else { return nil }
            return .failure(TestServerError(.shutDown, reason: "the server has been shut down; no request will come"))
        }
        return try result.get()
    }

    /// The number of recorded requests that have not been taken.
    public var untakenRequestCount: Int { self.state.read { $0.records.count } }

    /// The number of requests that were dropped because they were not taken; see ``Configuration/untakenRequestLimit``.
    public var droppedRequestCount: Int { self.state.read { $0.droppedRecordCount } }

    /// Removes and returns the server's own failures: requests that are not HTTP, handlers that threw, responses
    /// that cannot be sent over HTTP/2, and unexpected requests to a ``Configuration/isStrict`` server.
    ///
    /// ``withServer(tls:configuration:_:)`` throws the first one that was not taken, also if its closure has thrown.
    ///
    /// - Returns: The failures since the last call, oldest first, at most a hundred.
    public func takeFailures() -> [TestServerError] {
        self.state.update { state in
            defer { state.failures = [] }
            return state.failures
        }
    }
}
