// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Call {
    /// Waits for a decision of the program, which may take any time: until the call's deadline, or until the call is
    /// cancelled, even if the program's function ignores its cancellation.
    ///
    /// As in ``runProgramCode(_:)``, calls that the function makes get a place beyond the session's limit.
    ///
    /// - Parameter decide: The function. It runs in a task of its own, which is cancelled when the call stops waiting;
    ///   its decision is dropped then.
    /// - Returns: The decision.
    /// - Throws: ``SessionError/Code/timedOut`` at the deadline; `CancellationError` when the task is cancelled; what
    ///   the function throws.
    func decision<Value: Sendable>(_ decide: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let before = self.activity
        self.activity = .decision
        let (decisions, end) = AsyncThrowingStream.makeStream(of: Value.self)
        // Not children of the call's task, which would wait for them. This function owns both tasks, and cancels them
        // when it returns.
        let worker = Task {
            do {
                end.yield(try await Self.$current.withValue(self) { try await decide() })
            } catch {
                end.finish(throwing: error)
            }
        }
        let timer = self.deadline.map { deadline in
            // Owned like the worker.
            Task {
                guard (try? await self.clock.sleep(until: deadline)) != nil else { return }
                end.finish(throwing: self.deadlineError)
            }
        }
        defer {
            worker.cancel()
            timer?.cancel()
        }
        for try await decision in decisions {
            self.activity = before
            return decision
        }
        // The stream ends without a decision or an error only where the task is cancelled.
        throw CancellationError()
    }
}
