// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Lets one task wait until another one opens it.
struct Latch: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (self.stream, self.continuation) = AsyncStream.makeStream()
    }

    /// Waits until it is open, or until the task is cancelled.
    func wait() async {
        for await _ in self.stream {}
    }

    /// Opens it for good.
    func open() {
        self.continuation.finish()
    }
}
