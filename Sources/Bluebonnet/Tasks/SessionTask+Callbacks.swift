// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension SessionTask {
    /// Starts the task and calls one of two functions when it has completed.
    ///
    /// ```swift
    /// let task = try api.prepare(.get, "users").task(as: [User].self)
    /// task.resume(success: { users in print(users.count) }, failure: { error in print(error) })
    /// ```
    ///
    /// - Parameters:
    ///   - success: Called with the value, in the context of ``Session/Configuration/completion``.
    ///   - failure: Called with ``SessionError`` or `CancellationError`, in the same context.
    public func resume(
        success: @escaping @Sendable (Output) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) {
        self.onCompletion { result in
            switch result {
            case .success(let value): success(value)
            case .failure(let error): failure(error)
            }
        }
        self.resume()
    }
}
