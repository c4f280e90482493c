// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

@testable import Bluebonnet

/// Keeps the events of calls as words, and everything that an event prints.
struct AuthenticationEvents: SessionObserver {
    private let recorder = Recorder<(call: Call.ID, name: String, text: String)>()

    var names: [String] { self.recorder.elements.map(\.name) }

    /// The events of each call, in the order of the calls.
    var calls: [[String]] {
        let elements = self.recorder.elements
        return Set(elements.map(\.call)).sorted { $0.number < $1.number }
            .map { call in elements.filter { $0.call == call }.map(\.name) }
    }

    /// What the events about authentication print.
    var text: String { self.recorder.elements.map(\.text).joined(separator: "\n") }

    func observe(_ event: CallEvent, of call: Call) {
        func record(_ name: String, _ text: String = "") { self.recorder.record((call.id, name, text)) }
        switch event {
        case .exchangeStarted: record("exchange")
        case .responseReceived(let status, _, _): record("\(status.code)")
        case .authentication(let event): record(Self.name(event), "\(event) \(String(reflecting: event))")
        case .callEnded: record("ended")
        case .callFailed(let error): record("failed \(error.code)")
        case .callCancelled: record("cancelled")
        default: break
        }
    }

    private static func name(_ event: AuthenticationEvent) -> String {
        switch event {
        case .challengeAnswered(let scheme, let space): "answered \(scheme) \(space)"
        case .challengeRefused(let refusal, let origin): "refused \(refusal) \(origin)"
        case .tokenReplaced(let origin): "replaced \(origin)"
        case .proxyChallengeAnswered(let scheme, _): "proxy \(scheme)"
        case .refreshStarted: "refresh"
        case .refreshJoined: "joined"
        case .refreshEnded: "refreshed"
        case .refreshFailed(let code, _): "not refreshed \(code)"
        }
    }
}
