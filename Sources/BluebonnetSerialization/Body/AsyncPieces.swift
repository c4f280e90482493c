// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Passes pieces from a task that produces them to a reader, one at a time.
///
/// The task waits until its piece is taken, so that at most two pieces are held: this one, and the one that is read.
final class AsyncPieces<Piece: Sendable>: Sendable {
    /// What there is to read.
    enum Content: Sendable {
        case piece(Piece)
        case end
        case failed(any Error)
    }

    private struct State {
        /// The next content; an end and an error stay.
        var content: Content?
        /// Resumed when the piece has been taken.
        var producer: CheckedContinuation<Void, Never>?
        /// Called when there is content.
        var consumer: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let state = Mutex(State())

    // MARK: The task

    /// Offers a piece, and waits until it is taken.
    ///
    /// - Returns: False after ``stop()``.
    func put(_ piece: Piece) async -> Bool {
        self.offer(.piece(piece))
        await withCheckedContinuation { continuation in
            let isTaken = self.state.withLock { state in
                guard state.content != nil, !state.isStopped else { return true }
                state.producer = continuation
                return false
            }
            if isTaken { continuation.resume() }
        }
        return !self.state.withLock { $0.isStopped }
    }

    /// Offers the last content.
    func finish(_ error: (any Error)? = nil) {
        self.offer(error.map { .failed($0) } ?? .end)
    }

    private func offer(_ content: Content) {
        let consumer = self.state.withLock { state in
            state.content = content
            return state.consumer.take()
        }
        consumer?()
    }

    // MARK: The reader

    var hasContent: Bool { self.state.withLock { $0.content != nil } }

    /// Takes the content; nil if there is none yet.
    func take() -> Content? {
        let (content, producer) = self.state.withLock { state in
            if case .piece = state.content { return (state.content.take(), state.producer.take()) }
            return (state.content, nil)
        }
        producer?.resume()
        return content
    }

    /// Calls a function when there is content; it replaces the function of an earlier call.
    func whenContent(_ notify: @escaping @Sendable () -> Void) {
        let isThere = self.state.withLock { state in
            if state.content == nil { state.consumer = notify }
            return state.content != nil
        }
        if isThere { notify() }
    }

    /// Ends the production.
    func stop() {
        let (producer, consumer) = self.state.withLock { state in
            state.isStopped = true
            return (state.producer.take(), state.consumer.take())
        }
        producer?.resume()
        _ = consumer
    }
}
