// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One call of an evaluator on behalf of an event loop, on which its result is delivered exactly once.
final class TrustEvaluation {
    private enum State {
        case ready
        case running(Task<Void, Never>, answer: (Result<Void, any Error>) -> Void)
        case done
    }

    private var state = State.ready
    private let eventLoop: any EventLoop

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Calls the evaluator.
    ///
    /// - Parameters:
    ///   - evaluator: The evaluator.
    ///   - server: The server to evaluate.
    ///   - answer: Called once, asynchronously on the event loop, unless ``cancel()`` is called first.
    func start(
        _ evaluator: any TrustEvaluator,
        about server: ServerTrust,
        answer: @escaping (Result<Void, any Error>) -> Void
    ) {
        guard case .ready = self.state else { return }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        // Owned by this object, which cancels it when the connection is abandoned.
        let task = Task { [eventLoop] in
            let result: Result<Void, any Error>
            do {
                try await evaluator.evaluate(server)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            eventLoop.execute { bound.value.finish(result) }
        }
        self.state = .running(task, answer: answer)
    }

    /// Cancels the evaluation; a later result is ignored.
    func cancel() {
        if case .running(let task, _) = self.state { task.cancel() }
        self.state = .done
    }

    private func finish(_ result: Result<Void, any Error>) {
        guard case .running(_, let answer) = self.state else { return }
        self.state = .done
        answer(result)
    }
}
