// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

extension TransportConformance.Check {
    /// Checks of cancellation.
    static let cancellation: [Self] = [
        Self("cancelled-before", "A task that is cancelled already gets a CancellationError.") { visit in
            // Ends at once, or with the exchange.
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await visit.get("/bytes/1")
            }
            try await Self.isCancelled(task, "a task that was cancelled before it began")
            try await visit.stillWorks(after: "a task that was cancelled before it began")
        },
        Self(
            "cancelled-while-waiting",
            "A task that is cancelled while it waits for the response gets a CancellationError at once."
        ) { visit in
            for yields in [0, 1, 10, 1000] {
                // Ended below.
                let task = Task { try await visit.get("/hang") }
                for _ in 0..<yields { await Task.yield() }
                task.cancel()
                try await Self.isCancelled(task, "a task that was cancelled while it waited")
            }
            try await visit.stillWorks(after: "tasks that were cancelled")
        },
    ]

    /// Checks of failures.
    static let failures: [Self] = [
        Self(
            "connection-closed",
            "A connection that breaks before the response is an error, and the transport goes on."
        ) { visit in
            try await visit.fails(with: .connectionClosed, isRequestSent: true, "when the connection was reset") {
                _ = try await visit.transport.exchange(visit.request("/reset", .post))
            }
            try await visit.stillWorks(after: "a connection that broke")
        },
        Self("body-cut-short", "A body that is cut short is an error, never an end.", needs: [.wire]) { visit in
            var collected = visit.request("/cut")
            collected.responseMode = .collected(upTo: 1_000_000)
            for request in [collected, visit.streamed("/cut")] {
                try await visit.fails(with: .connectionClosed, "when a body was cut short") {
                    var count = 0
                    for try await buffer in try await visit.transport.exchange(request).body {
                        count += buffer.readableBytes
                    }
                    throw ConformanceComplaint("a body of 100,000 bytes ended after \(count), without an error")
                }
            }
            try await visit.stillWorks(after: "a body that was cut short")
        },
        Self(
            "limit",
            "A response above the limit of its request is an error, whether its length is known or not.",
            needs: [.wire]
        ) { visit in
            for target in ["/bytes/1000", "/trailers"] {
                var request = visit.request(target)
                request.responseMode = .collected(upTo: 5)
                try await visit.fails(with: .responseTooLarge, "with a limit of 5 bytes") {
                    _ = try await visit.transport.exchange(request)
                }
            }
        },
        Self("timeout", "A time limit that has passed is an error with the code timedOut.") { visit in
            var request = visit.request("/hang")
            request.timeouts.total = .milliseconds(50)
            try await visit.fails(with: .timedOut, "after the time limit of the exchange") {
                _ = try await visit.transport.exchange(request)
            }
            try await visit.stillWorks(after: "a time limit that has passed")
        },
        Self("shutdown", "A transport that is shut down refuses exchanges, and may be shut down again.") { visit in
            await visit.transport.shutdown()
            await visit.transport.shutdown()
            try await visit.fails(with: .shutDown, isRequestSent: false, "after the shutdown") {
                _ = try await visit.get("/bytes/1")
            }
        },
        Self("shutdown-under-way", "Exchanges under way fail when it is shut down.", needs: [.wire]) { visit in
            // Ended by the shutdown.
            let task = Task { try await visit.get("/hang") }
            defer { task.cancel() }
            _ = try await visit.server?.takeRequest()
            await visit.transport.shutdown()
            try await visit.fails(with: .shutDown, "when the transport was shut down") { _ = try await task.value }
        },
    ]

    private static func isCancelled(_ task: Task<TransportResponse, any Error>, _ what: String) async throws {
        do {
            let response = try await task.value
            throw ConformanceComplaint("\(what) got a response with the status \(response.status.code)")
        } catch is CancellationError {
            return
        } catch let error as ConformanceComplaint {
            throw error
        } catch {
            throw ConformanceComplaint("\(what) got \(type(of: error)): \(error)")
        }
    }
}
