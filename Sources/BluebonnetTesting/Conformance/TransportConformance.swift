// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import FoundationEssentials

/// The contract of `Transport` as a list of checks, for a custom transport.
///
/// Each ``Check`` states one rule. A transport that violates it fails with a ``Failure`` that describes what happened.
///
/// ```swift
/// import BluebonnetTesting
/// import BluebonnetTransport
/// import Testing
///
/// let conformance = TransportConformance.overHTTP { _ in NIOTransport() }   // your own transport here
///
/// @Test(arguments: conformance.checks)
/// func `my transport keeps the contract`(check: TransportConformance.Check) async throws {
///     try await conformance.run(check)
/// }
/// ```
///
/// A check creates a transport, sends a few requests to a loopback server that has the responses, and shuts the
/// transport down. The checks are independent and may run concurrently.
public struct TransportConformance: Sendable {
    /// Creates the transport to check.
    ///
    /// - Parameter server: The server that the requests are sent to; over TLS, the transport must trust its
    ///   `certificateAuthority`.
    /// - Returns: A new transport for this check: it is shut down afterwards.
    public typealias MakeTransport = @Sendable (_ server: TestServer) async throws -> any Transport

    enum Kind: Sendable {
        case wire(tls: TestServer.TLS?, TestServer.Configuration, MakeTransport)
        case memory(@Sendable (@escaping StubTransport.Answer) async throws -> any Transport)
    }

    let kind: Kind

    /// The time limit of a check; 30 s unless changed.
    ///
    /// When it is exceeded, the server closes its connections and the check fails. A transport that hangs nevertheless
    /// is left behind.
    public var timeLimit: Duration = .seconds(30)

    /// Checks a transport that opens connections, over plain HTTP.
    ///
    /// - Parameters:
    ///   - server: The configuration of the server, for example to enable HTTP/2; HTTP/1.1 only unless given.
    ///   - makeTransport: Creates the transport.
    /// - Returns: The suite.
    public static func overHTTP(
        server: TestServer.Configuration = TestServer.Configuration(),
        makeTransport: @escaping MakeTransport
    ) -> TransportConformance {
        TransportConformance(kind: .wire(tls: nil, server, makeTransport))
    }

    /// Checks a transport that opens connections, over TLS.
    ///
    /// - Parameters:
    ///   - tls: The TLS options of the server; with a certificate for `localhost` unless given.
    ///   - server: The configuration of the server.
    ///   - makeTransport: Creates the transport, which must trust the `certificateAuthority` of the server.
    /// - Returns: The suite.
    public static func overHTTPS(
        tls: TestServer.TLS = TestServer.TLS(),
        server: TestServer.Configuration = TestServer.Configuration(),
        makeTransport: @escaping MakeTransport
    ) -> TransportConformance {
        TransportConformance(kind: .wire(tls: tls, server, makeTransport))
    }

    /// Checks a transport without connections, such as a stub or a wrapper of another transport.
    ///
    /// What only a server can cause, such as breaking a connection within a body or sending more than allowed, is not
    /// checked.
    ///
    /// - Parameter makeTransport: Creates the transport. It receives the function that responds, in place of a server;
    ///   the transport calls it with each request, or a ``StubTransport`` does.
    /// - Returns: The suite.
    public static func inMemory(
        makeTransport: @escaping @Sendable (_ answer: @escaping StubTransport.Answer) async throws -> any Transport
    ) -> TransportConformance {
        TransportConformance(kind: .memory(makeTransport))
    }

    /// The checks that apply to this transport, in the order of the contract.
    public var checks: [Check] {
        let provided: Set<Check.Need> =
            switch self.kind {
            case .memory: []
            case .wire(nil, _, _): [.wire]
            case .wire: [.wire, .tls]
            }
        return Check.all.filter { $0.needs.isSubset(of: provided) }
    }

    /// Runs one check.
    ///
    /// - Parameter check: One of ``checks``.
    /// - Throws: ``Failure`` if the transport violates the rule; the errors of creating the transport and starting the
    ///   server; `CancellationError` when the task is cancelled.
    public func run(_ check: Check) async throws {
        switch self.kind {
        case .memory(let makeTransport):
            let site = ConformanceSite()
            let transport = try await makeTransport { try await site.answer($0) }
            try await self.run(check, ConformanceVisit(transport: transport, origin: ConformanceSite.origin)) {
                site.release()
            }
        case .wire(let tls, let configuration, let makeTransport):
            try await TestServer.withServer(tls: tls, configuration: configuration) { server in
                ConformanceSite.script(server)
                let transport = try await makeTransport(server)
                let origin = Origin(
                    scheme: tls == nil ? .http : .https,
                    host: tls == nil ? server.host : "localhost",
                    port: server.port
                )
                var visit = ConformanceVisit(transport: transport, origin: origin)
                visit.server = server
                // A check may break a connection on purpose.
                defer { _ = server.takeFailures() }
                try await self.run(check, visit) { server.closeConnections() }
            }
        }
    }

    private func run(
        _ check: Check,
        _ visit: ConformanceVisit,
        release: @escaping @Sendable () -> Void
    ) async throws {
        let outcome = await ConformanceRace.run(within: self.timeLimit, release: release) {
            do {
                try await check.body(visit)
            } catch {
                await visit.transport.shutdown()
                throw error
            }
            await visit.transport.shutdown()
        }
        try Task.checkCancellation()
        switch outcome {
        case .success: return
        case .failure(let error as ConformanceComplaint): throw Failure(check, error.sentence, nil)
        case .failure(let error):
            throw Failure(check, "the transport threw \(type(of: error)): \(error)", error)
        case nil: throw Failure(check, "it did not come to an end within \(self.timeLimit)", nil)
        }
    }
}

extension TransportConformance {
    /// A violation of a rule of the contract.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The check that failed.
        public let check: Check
        /// What happened instead, as a sentence.
        public let reason: String
        /// The error of the transport if it should not have thrown; nil for all other failures.
        public let underlying: (any Error)?

        init(_ check: Check, _ reason: String, _ underlying: (any Error)?) {
            self.check = check
            self.reason = reason
            self.underlying = underlying
        }

        /// The rule and what happened instead.
        public var description: String { "\(self.check.name): “\(self.check.rule)” – but \(self.reason)" }
    }
}

extension TransportConformance.Failure: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
