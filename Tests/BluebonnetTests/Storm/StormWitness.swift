// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

@testable import Bluebonnet

/// Tells operations of the events of their calls, on whatever thread they happen, and looks at the order of all events.
final class StormWitness: SessionObserver, TransportObserver {
    private struct State {
        var openCalls: Set<Call.ID> = []
        /// The exchanges under way, each with its events.
        var openExchanges: [ExchangeID: [TransportEvent]] = [:]
        var faults: [String] = []
    }

    private let state = Mutex(State())

    /// What was reported before the first or after the last event.
    var faults: [String] { self.state.withLock { $0.faults } }

    /// The exchanges under way with their events, for the report of a storm that leaves some behind.
    var openExchanges: [String] { self.state.withLock { $0.openExchanges.values.map { "\($0)" } } }

    /// The calls and exchanges whose last event has not been reported.
    var openCount: Int { self.state.withLock { $0.openCalls.count + $0.openExchanges.count } }

    func observe(_ event: CallEvent, of call: Call) {
        self.state.withLock { state in
            switch event {
            case .callStarted: state.openCalls.insert(call.id)
            case .callEnded, .callFailed, .callCancelled:
                if state.openCalls.remove(call.id) == nil { state.faults.append("\(event) of call \(call.id)") }
            default: break
            }
        }
        call.originalRequest.context[StormHandle.self]?.noteEvent()
    }

    func observe(_ event: TransportEvent, of exchange: ExchangeID) {
        self.state.withLock { state in
            let isOpen = state.openExchanges[exchange] != nil
            switch event {
            case .started: state.openExchanges[exchange] = [event]
            case .ended, .failed, .cancelled:
                if state.openExchanges.removeValue(forKey: exchange) == nil {
                    state.faults.append("\(event) of \(exchange)")
                }
            default:
                if !isOpen { state.faults.append("\(event) of \(exchange)") }
                state.openExchanges[exchange]?.append(event)
            }
        }
    }
}
