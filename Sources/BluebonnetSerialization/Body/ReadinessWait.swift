// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Waits for a reader that has nothing yet, and holds no thread meanwhile.
package final class ReadinessWait: Sendable {
    private enum State {
        case started
        case waiting(CheckedContinuation<Void, any Error>)
        case ended(Result<Void, any Error>)
    }

    private let state = Mutex(State.started)

    private init() {}

    /// Waits until a reader can be read without blocking; returns at once if it can be now.
    ///
    /// - Parameters:
    ///   - isReadable: Whether the next read returns at once.
    ///   - whenReadable: Calls its function as soon as that is true.
    /// - Throws: `CancellationError` when the task is cancelled.
    package static func run(
        isReadable: () -> Bool,
        whenReadable: (@escaping @Sendable () -> Void) -> Void
    ) async throws {
        while !isReadable() {
            let wait = ReadinessWait()
            try await withTaskCancellationHandler {
                whenReadable { wait.end(.success(())) }
                try await withCheckedThrowingContinuation { wait.resume($0) }
            } onCancel: {
                wait.end(.failure(CancellationError()))
            }
        }
    }

    private func resume(_ continuation: CheckedContinuation<Void, any Error>) {
        let result: Result<Void, any Error>? = self.state.withLock { state in
            if case .ended(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    /// Ends the wait; the first result counts.
    private func end(_ result: Result<Void, any Error>) {
        let continuation: CheckedContinuation<Void, any Error>? = self.state.withLock { state in
            switch state {
            case .ended: return nil
            case .started:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            }
        }
        continuation?.resume(with: result)
    }
}

extension RequestBody {
    /// Reads the whole body from an asynchronous function.
    ///
    /// It yields to other tasks after every piece, and holds no thread while a source has nothing.
    ///
    /// - Parameters:
    ///   - pieceSize: The largest number of bytes read at a time.
    ///   - take: Receives each piece.
    /// - Throws: The ``SerializationError``s of ``makeReader()`` and its reader; what `take` throws; `CancellationError`
    ///   when the task is cancelled.
    package func read(
        by pieceSize: Int = 64 * 1_024,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        var reader: any BodyReader = try self.makeReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try Task.checkCancellation()
            try await ReadinessWait.run(
                isReadable: { reader.isReadable },
                whenReadable: { reader.whenReadable($0) }
            )
            let count = try reader.readChecked(into: buffer, subject: "the request body")
            if count == 0 { return }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            await Task.yield()
        }
    }
}
