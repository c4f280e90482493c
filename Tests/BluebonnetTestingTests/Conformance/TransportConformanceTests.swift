// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Synchronization
import Testing

/// The conformance suite, with transports that keep the contract and with transports that break one rule each.
@Suite(.timeLimit(.minutes(2))) struct TransportConformanceTests {
    @Test(arguments: ConformanceSuites.overHTTP1.checks)
    func `the engine keeps the contract over HTTP/1.1`(check: TransportConformance.Check) async throws {
        try await ConformanceSuites.overHTTP1.run(check)
    }

    @Test(arguments: ConformanceSuites.overHTTP2.checks)
    func `the engine keeps the contract over HTTP/2`(check: TransportConformance.Check) async throws {
        try await ConformanceSuites.overHTTP2.run(check)
    }

    @Test(arguments: ConformanceSuites.overTLS1.checks)
    func `the engine keeps the contract over HTTP/1.1 and TLS`(check: TransportConformance.Check) async throws {
        try await ConformanceSuites.overTLS1.run(check)
    }

    @Test(arguments: ConformanceSuites.overTLS2.checks)
    func `the engine keeps the contract over HTTP/2 and TLS`(check: TransportConformance.Check) async throws {
        try await ConformanceSuites.overTLS2.run(check)
    }

    @Test(arguments: ConformanceSuites.recording.checks)
    func `a recorder keeps the contract of the engine that it records`(check: TransportConformance.Check) async throws {
        try await ConformanceSuites.recording.run(check)
    }

    @Test(arguments: ConformanceSuites.stub.checks)
    func `a stub keeps the contract`(check: TransportConformance.Check) async throws {
        try await ConformanceSuites.stub.run(check)
    }

    /// What an archive does not hold: informational responses, trailers, codings, and exchanges that never ended.
    private static let unrecorded: Set<String> = [
        "informational", "trailers", "content-coding", "cancelled-while-waiting", "dropped-body",
    ]

    @Test(arguments: ConformanceSuites.stub.checks.filter { !Self.unrecorded.contains($0.name) })
    func `a replay keeps the contract with what it has recorded`(check: TransportConformance.Check) async throws {
        let recorded = Mutex<RecordingTransport?>(nil)
        let recording = TransportConformance.inMemory { answer in
            let recorder = RecordingTransport(wrapping: StubTransport(answer), redaction: .none)
            recorded.withLock { $0 = recorder }
            return recorder
        }
        try await recording.run(check)
        let archive = try #require(recorded.withLock { $0 }).archive
        let replay = TransportConformance.inMemory { _ in
            ReplayTransport(archive, matching: .anyOrder, redaction: .none)
        }
        try await replay.run(check)
    }

    @Test(arguments: BrokenTransport.Fault.allCases)
    func `a transport that breaks one rule fails the check for that rule, and no other`(
        fault: BrokenTransport.Fault
    ) async throws {
        let isOverTLS = fault == .trust
        let make: TransportConformance.MakeTransport = { BrokenTransport(ConformanceSuites.engine($0), fault) }
        let suite =
            isOverTLS
            ? TransportConformance.overHTTPS(makeTransport: make) : TransportConformance.overHTTP(makeTransport: make)
        for check in suite.checks {
            if check.name == fault.rawValue {
                let failure = await #expect(throws: TransportConformance.Failure.self, "\(check.name)") {
                    try await suite.run(check)
                }
                #expect(failure?.check == check)
                #expect(failure?.description.contains(check.rule) == true)
                #expect(failure?.reason.isEmpty == false)
            } else {
                await #expect(throws: Never.self, "\(check.name)") { try await suite.run(check) }
            }
        }
    }

    @Test func `every check has a transport that fails it, and a name and a rule of its own`() {
        let names = ConformanceSuites.overTLS1.checks.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == Set(BrokenTransport.Fault.allCases.map(\.rawValue)))
        #expect(Set(ConformanceSuites.overTLS1.checks.map(\.rule)).count == names.count)
        #expect(ConformanceSuites.overTLS1.checks.allSatisfy { $0.rule.hasSuffix(".") })
    }

    @Test func `only what a transport can be asked for is checked`() {
        #expect(ConformanceSuites.stub.checks.count < ConformanceSuites.overHTTP1.checks.count)
        #expect(ConformanceSuites.overHTTP1.checks.count + 1 == ConformanceSuites.overTLS1.checks.count)
    }

    @Test func `a check of a transport that never answers ends with the time limit`() async throws {
        var suite = TransportConformance.overHTTP { _ in DeafTransport() }
        suite.timeLimit = .milliseconds(20)
        let check = try #require(suite.checks.first)
        let failure = await #expect(throws: TransportConformance.Failure.self) { try await suite.run(check) }
        #expect(failure?.reason.contains("did not come to an end") == true)
    }

    @Test func `a check that is cancelled throws a CancellationError`() async throws {
        let suite = TransportConformance.overHTTP { _ in DeafTransport() }
        let check = try #require(suite.checks.first)
        let task = Task { try await suite.run(check) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `an error that nobody expected is part of the failure`() async throws {
        struct Unexpected: Error {}
        let suite = TransportConformance.inMemory { _ in StubTransport { _ in throw Unexpected() } }
        let check = try #require(suite.checks.first { $0.name == "status" })
        let failure = await #expect(throws: TransportConformance.Failure.self) { try await suite.run(check) }
        #expect(failure?.underlying is Unexpected)
        #expect(failure?.reason.contains("Unexpected") == true)
    }
}
