// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import HTTPTypes
import Synchronization

/// A transport that lets another one work and remembers what passed.
///
/// Bodies are not looked at: a streamed one stays a stream.
public final class RecordingTransport: Transport {
    /// One exchange, after its end.
    public struct Entry: Sendable {
        /// What was asked.
        public var request: TransportRequest
        /// The status and the header fields that came back, or why none did.
        public var outcome: Result<HTTPResponse, any Error>
    }

    private let base: any Transport
    private let recorded = Mutex<[Entry]>([])

    /// Creates a transport around another one.
    ///
    /// - Parameter base: Does the work.
    public init(wrapping base: any Transport) {
        self.base = base
    }

    /// The exchanges that have ended (of a streamed response: whose head has arrived), in the order of their ends.
    public var entries: [Entry] { self.recorded.withLock { $0 } }

    /// The requests of ``entries``.
    public var requests: [TransportRequest] { self.entries.map(\.request) }

    /// What the other transport supports.
    public var trustSupport: TrustSupport { self.base.trustSupport }

    public func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            let response = try await self.base.exchange(request)
            let head = HTTPResponse(status: response.status, headerFields: response.headers)
            self.recorded.withLock { $0.append(Entry(request: request, outcome: .success(head))) }
            return response
        } catch {
            self.recorded.withLock { $0.append(Entry(request: request, outcome: .failure(error))) }
            throw error
        }
    }

    public func shutdown() async {
        await self.base.shutdown()
    }
}
