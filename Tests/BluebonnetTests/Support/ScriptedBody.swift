// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// A streamed response body made of a script; remembers how far it was read.
final class ScriptedBody: ResponseBody.Source {
    enum Step: Sendable {
        case bytes(Int)
        case text(String)
        case buffer(ByteBuffer)
        case fail(any Error)
        /// Waits until the reading task is cancelled.
        case hang
    }

    private let steps: Mutex<[Step]>
    private let taken = Mutex(0)
    private let onRead: (@Sendable (Int) -> Void)?

    init(_ steps: [Step], onRead: (@Sendable (Int) -> Void)? = nil) {
        self.steps = Mutex(steps)
        self.onRead = onRead
    }

    /// The number of steps that were taken.
    var readCount: Int { self.taken.withLock { $0 } }

    func next() async throws -> ByteBuffer? {
        let step = self.steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        let count = self.taken.withLock { count in
            count += 1
            return count
        }
        self.onRead?(count)
        switch step {
        case .bytes(let count): return ByteBuffer(repeating: 0x61, count: count)
        case .text(let text): return ByteBuffer(string: text)
        case .buffer(let buffer): return buffer
        case .fail(let error): throw error
        case .hang:
            try await untilCancelled()
        case nil: return nil
        }
    }
}

/// Waits until the task is cancelled, and throws.
func untilCancelled() async throws -> Never {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    throw CancellationError()
}

extension TransportResponse {
    static func plain(_ text: String, status: Int = 200, headers: HTTPFields = [:]) -> TransportResponse {
        TransportResponse(status: .init(code: status), headers: headers, body: ResponseBody(ByteBuffer(string: text)))
    }
}
