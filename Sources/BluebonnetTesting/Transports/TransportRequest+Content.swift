// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import FoundationEssentials
import NIOCore

/// What a test looks at, under the names of ``RecordedRequest``.
extension TransportRequest {
    /// The target without its query.
    public var path: String { ReceivedTarget(self.target).path }

    /// Returns the decoded value of the first query item with a name; nil if there is none.
    ///
    /// - Parameter name: The decoded name.
    /// - Returns: The decoded value.
    public func query(_ name: String) -> String? { ReceivedTarget(self.target)[name] }

    /// Reads the whole body, for example for a `JSONDecoder`; empty if there is none.
    ///
    /// A body that is not replayable can be read once.
    ///
    /// - Parameter limit: The largest number of bytes to read; 16 MiB unless given.
    /// - Returns: The bytes.
    /// - Throws: The errors of `TransportBody.bytes(upTo:)`; `CancellationError` when the task is cancelled.
    public func bodyData(upTo limit: Int = 16 * 1024 * 1024) async throws -> Data {
        Data(try await self.body.bytes(upTo: limit).readableBytesView)
    }

    /// Reads the whole body as text; bytes that are not UTF-8 become replacement characters.
    ///
    /// - Parameter limit: The largest number of bytes to read; 16 MiB unless given.
    /// - Returns: The text.
    /// - Throws: The errors of ``bodyData(upTo:)``.
    public func bodyText(upTo limit: Int = 16 * 1024 * 1024) async throws -> String {
        String(buffer: try await self.body.bytes(upTo: limit))
    }
}
