// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One question to an evaluator, asked from an event loop: answered there exactly once, however it ends.
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

    /// Asks the evaluator.
    ///
    /// - Parameters:
    ///   - evaluator: The evaluator to ask.
    ///   - server: What about.
    ///   - answer: Called once on the event loop, later, unless ``cancel()`` is called first.
    func start(
        _ evaluator: any TrustEvaluator,
        about server: ServerTrust,
        answer: @escaping (Result<Void, any Error>) -> Void
    ) {
        guard case .ready = self.state else { return }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        // Owned by this object, which cancels it when the connection is given up.
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

    /// Gives the question up; an answer that comes later is not looked at.
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
