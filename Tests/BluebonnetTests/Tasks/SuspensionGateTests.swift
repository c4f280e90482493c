// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SuspensionGateTests {
    @Test func `is open at first`() async throws {
        try await SuspensionGate().pass()
    }

    @Test func `lets everyone through when it opens`() async throws {
        let gate = SuspensionGate()
        gate.set(isClosed: true, 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await gate.pass() } }
            group.addTask { gate.set(isClosed: false, 2) }
            try await group.waitForAll()
        }
    }

    @Test func `ignores a change that comes after a newer one`() async throws {
        let gate = SuspensionGate()
        gate.set(isClosed: false, 2)
        gate.set(isClosed: true, 1)
        try await gate.pass()
    }

    @Test func `lets a cancelled task go`() async {
        let gate = SuspensionGate()
        gate.set(isClosed: true, 1)
        let task = Task { try await gate.pass() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
