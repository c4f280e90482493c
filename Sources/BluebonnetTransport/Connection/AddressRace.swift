// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Connects to the first of several addresses that answers (RFC 8305 section 5).
///
/// Attempts are started one after another: each when the previous one has failed, or when its head start is over. The
/// first socket that connects wins; the other attempts are cancelled. A race runs on its event loop. NIO has an
/// equivalent; this one uses the engine's clock and reports its attempts.
final class AddressRace {
    /// How long an attempt runs alone before the next one is started in parallel (the Connection Attempt Delay).
    static let headStart = TimeAmount.milliseconds(250)

    private let endpoint: Endpoint
    private let eventLoop: any EventLoop
    private let clock: EngineClock
    private let observation: ConnectObservation?
    private let sockets: OpenSockets
    private let makeBootstrap: (SocketAddress) -> ClientBootstrap
    private let done: EventLoopPromise<any Channel>

    /// The addresses that have not been tried.
    private var waiting: ArraySlice<SocketAddress>
    private var attempts = [Attempt]()
    private var failures = [AddressFailures.Failure]()
    private var headStartEnd: EngineTimer?
    private var timeout: EngineTimer?
    private var isOver = false
    /// Whether the next address is to be tried.
    private var isNextDue = false
    /// Whether ``tryNext()`` is at work: an attempt may fail inside the call that starts it.
    private var isTrying = false

    /// An attempt in progress.
    private final class Attempt {
        let address: SocketAddress
        var channel: (any Channel)?

        init(_ address: SocketAddress) {
            self.address = address
        }
    }

    private init(
        _ addresses: [SocketAddress],
        endpoint: Endpoint,
        clock: EngineClock,
        observation: ConnectObservation?,
        sockets: OpenSockets,
        eventLoop: any EventLoop,
        makeBootstrap: @escaping (SocketAddress) -> ClientBootstrap
    ) {
        self.waiting = Self.interleaved(addresses)[...]
        self.endpoint = endpoint
        self.clock = clock
        self.observation = observation
        self.sockets = sockets
        self.eventLoop = eventLoop
        self.makeBootstrap = makeBootstrap
        self.done = eventLoop.makePromise(of: (any Channel).self)
    }

    /// Connects to the first address that answers.
    ///
    /// To be called on the event loop, where the future is completed too.
    ///
    /// - Parameters:
    ///   - addresses: The addresses; at least one.
    ///   - endpoint: The endpoint that has those addresses, for error messages.
    ///   - limit: The time limit for all attempts together.
    ///   - clock: The source of time.
    ///   - observation: Receives the events of each attempt.
    ///   - sockets: Decides whether a socket may connect.
    ///   - eventLoop: The event loop of the connection.
    ///   - makeBootstrap: Makes the bootstrap that opens the socket of one attempt; the race installs the channel
    ///     initializer.
    /// - Returns: The channel; the future fails with a ``TransportError``.
    static func run(
        to addresses: [SocketAddress],
        of endpoint: Endpoint,
        limit: Duration?,
        clock: EngineClock,
        observation: ConnectObservation?,
        sockets: OpenSockets,
        on eventLoop: any EventLoop,
        makeBootstrap: @escaping (SocketAddress) -> ClientBootstrap
    ) -> EventLoopFuture<any Channel> {
        let race = AddressRace(
            addresses,
            endpoint: endpoint,
            clock: clock,
            observation: observation,
            sockets: sockets,
            eventLoop: eventLoop,
            makeBootstrap: makeBootstrap
        )
        if let limit {
            let bound = NIOLoopBound(race, eventLoop: eventLoop)
            race.timeout = clock.schedule(at: clock.now() + TimeAmount(limit), on: eventLoop) {
                bound.value.finish(.failure(.lateConnecting(to: endpoint, limit: limit)))
            }
        }
        race.tryNext()
        return race.done.futureResult
    }

    /// Returns the addresses with the two families alternating, beginning with that of the first address (RFC 8305
    /// section 4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first?.protocol else { return [] }
        var left = addresses.filter { $0.protocol == first }[...]
        var right = addresses.filter { $0.protocol != first }[...]
        var mixed = [SocketAddress]()
        while let address = left.popFirst() ?? right.popFirst() {
            mixed.append(address)
            if let other = right.popFirst() { mixed.append(other) }
        }
        return mixed
    }

    /// Tries the next address, and the one after it if the system refuses that one at once: in a loop, because a stack
    /// is too small for thousands of them.
    private func tryNext() {
        self.isNextDue = true
        guard !self.isTrying else { return }
        self.isTrying = true
        defer { self.isTrying = false }
        while self.isNextDue, !self.isOver, let address = self.waiting.popFirst() {
            self.isNextDue = false
            self.attempt(address)
        }
    }

    private func attempt(_ address: SocketAddress) {
        self.headStartEnd?.cancel()
        self.headStartEnd = nil
        let bound = NIOLoopBound((race: self, attempt: Attempt(address)), eventLoop: self.eventLoop)
        self.attempts.append(bound.value.attempt)
        self.observation?.tell(.attemptStarted(address: self.text(address)))
        if !self.waiting.isEmpty {
            self.headStartEnd = self.clock.schedule(at: self.clock.now() + Self.headStart, on: self.eventLoop) {
                bound.value.race.tryNext()
            }
        }
        self.makeBootstrap(address)
            .channelInitializer { [sockets] channel in
                bound.value.attempt.channel = channel
                guard sockets.add(channel) else {
                    return channel.eventLoop.makeFailedFuture(TransportError.shutDown(in: .connect))
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .connect(to: address)
            .whenComplete { result in bound.value.race.didEnd(bound.value.attempt, result) }
    }

    private func didEnd(_ attempt: Attempt, _ result: Result<any Channel, any Error>) {
        self.attempts.removeAll { $0 === attempt }
        guard !self.isOver else {
            // The attempt finished too late, or was cancelled.
            if case .success(let channel) = result { channel.close(promise: nil) }
            return
        }
        switch result {
        case .success(let channel):
            self.observation?.tell(.attemptEnded(address: self.text(attempt.address)))
            self.finish(.success(channel))
        case .failure(let error):
            self.failures.append((attempt.address, error))
            self.tellFailure(of: attempt, self.error([(attempt.address, error)]))
            if !self.waiting.isEmpty {
                self.tryNext()
            } else if self.attempts.isEmpty {
                self.finish(.failure(self.error(self.failures)))
            }
        }
    }

    private func finish(_ result: Result<any Channel, TransportError>) {
        guard !self.isOver else { return }
        self.isOver = true
        self.timeout?.cancel()
        self.headStartEnd?.cancel()
        for attempt in self.attempts {
            if case .failure(let error) = result {
                self.tellFailure(of: attempt, error)
            } else {
                self.tellFailure(of: attempt, .overtaken(attempt.address))
            }
            attempt.channel?.close(promise: nil)
        }
        self.attempts = []
        switch result {
        case .success(let channel): self.done.succeed(channel)
        case .failure(let error): self.done.fail(error)
        }
    }

    private func tellFailure(of attempt: Attempt, _ error: TransportError) {
        self.observation?.tell(.attemptFailed(address: self.text(attempt.address), error))
    }

    private func text(_ address: SocketAddress) -> String {
        if case .unixSocket(let path) = self.endpoint { path } else { TransportError.text(address) }
    }

    private func error(_ failures: [AddressFailures.Failure]) -> TransportError {
        TransportError(connecting: AddressFailures(failures: failures), to: self.endpoint)
    }
}

/// The errors of all addresses.
struct AddressFailures: Error {
    typealias Failure = (address: SocketAddress, error: any Error)

    let failures: [Failure]
}
