// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TestServer {
    /// Puts responses at the end of the script; the next requests get them in this order, whatever their path.
    ///
    /// A request is given its response when its head has arrived.
    ///
    /// - Parameter responses: What to answer.
    public func enqueue(_ responses: ScriptedResponse...) {
        self.state.update { $0.script.append(contentsOf: responses) }
    }

    /// The number of responses in the script that no request has asked for yet.
    public var enqueuedCount: Int { self.state.read { $0.script.count } }

    /// Answers every request for a path, of any method, from code; scripted responses go first, built-in routes come after.
    ///
    /// - Parameters:
    ///   - path: The path, without a query, exactly as it stands in the request.
    ///   - handler: Makes the response. If it throws, the client gets status 500 and ``takeFailures()`` the error.
    public func respond(to path: String, with handler: @escaping Handler) {
        self.state.update { $0.handlers[path] = handler }
    }

    /// Answers every request for which there is no script and no handler of its path, from code; built-in routes are then out of reach.
    ///
    /// - Parameter handler: Makes the response. If it throws, the client gets status 500 and ``takeFailures()`` the error.
    public func respond(with handler: @escaping Handler) {
        self.state.update { $0.handler = handler }
    }

    /// Takes the oldest request that was not taken yet, waiting for it if there is none.
    ///
    /// A request is there once its body has arrived; one that is answered (or broken off) before is there then, with
    /// ``RecordedRequest/isComplete`` false.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The request.
    /// - Throws: ``TestServerError/Code/timedOut``; `CancellationError` when the task is cancelled.
    public func takeRequest(within limit: Duration = .seconds(10)) async throws -> RecordedRequest {
        try await self.state.wait(for: "a request", within: limit) { $0.takeRecord() }
    }

    /// The number of requests that wait to be taken.
    public var untakenRequestCount: Int { self.state.read { $0.records.count } }

    /// The number of requests that were forgotten because nobody took them; see ``Configuration/untakenRequestLimit``.
    public var droppedRequestCount: Int { self.state.read { $0.droppedRecordCount } }

    /// Takes what went wrong on the server's own side: requests that are not HTTP, handlers that threw.
    ///
    /// ``withServer(tls:configuration:_:)`` throws the first one that was not taken.
    ///
    /// - Returns: The failures since the last call, oldest first, at most a hundred.
    public func takeFailures() -> [TestServerError] {
        self.state.update { state in
            defer { state.failures = [] }
            return state.failures
        }
    }
}
