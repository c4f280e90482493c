// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// The digest of the content that one exchange sends, computed while it is read.
///
/// It belongs to the exchange and not to the request: copies of a request can be sent at the same time, and each
/// message has the digest of its own content (RFC 9530 section 2).
final class SentContentDigest: Sendable {
    private struct State {
        var digester: BodyDigester
        /// The number of the reader whose bytes count.
        var reader = 0
    }

    private let algorithm: ContentDigest.Algorithm
    private let state: Mutex<State>

    init(_ algorithm: ContentDigest.Algorithm) {
        self.algorithm = algorithm
        self.state = Mutex(State(digester: BodyDigester(algorithm)))
    }

    /// The value of the field, for the bytes that have been read.
    var field: String { self.state.withLock { $0.digester }.field }

    /// Returns a body whose bytes are counted in the digest while they are read.
    func observing(_ body: RequestBody) -> RequestBody {
        .stream(length: body.contentLength, isReplayable: body.isReplayable) {
            DigestingBodyReader(reader: try body.makeReader(), number: self.beginReader(), digest: self)
        }
    }

    /// Begins again: another reader is another attempt of the exchange.
    private func beginReader() -> Int {
        self.state.withLock { state in
            state.digester = BodyDigester(self.algorithm)
            state.reader += 1
            return state.reader
        }
    }

    /// Adds bytes that a reader has read; those of the reader of an abandoned attempt are ignored.
    fileprivate func add(_ bytes: UnsafeRawBufferPointer, of reader: Int) {
        self.state.withLock { state in
            if state.reader == reader { state.digester.update(bytes) }
        }
    }
}

extension TransportRequest {
    /// Sends a body with the digest of its content in the trailer fields; nothing changes without a body.
    mutating func addContentDigest(_ algorithm: ContentDigest.Algorithm, _ body: RequestBody, _ call: Call) {
        if case .none = body { return }
        let digest = SentContentDigest(algorithm)
        self.body = TransportBody(digest.observing(body), monitor: call.handling.monitor)
        self.observer = CallTransportObserver(call: call, body: self.body)
        let others = self.trailers
        self.trailers = {
            var fields = others?() ?? HTTPFields()
            fields[.contentDigest] = digest.field
            return fields
        }
    }
}

/// Computes the digest of a body while it is read.
private struct DigestingBodyReader: WrappingBodyReader {
    var reader: any BodyReader
    let number: Int
    let digest: SentContentDigest

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try self.reader.read(into: buffer)
        if count > 0, count <= buffer.count {
            self.digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), of: self.number)
        }
        return count
    }
}
