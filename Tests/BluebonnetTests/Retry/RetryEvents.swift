// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

@testable import Bluebonnet

/// Keeps the events of calls as words, with the attempt that was under way.
struct RetryEvents: SessionObserver {
    private let recorder = Recorder<String>()

    var names: [String] { self.recorder.elements }

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .exchangeStarted: self.recorder.record("exchangeStarted \(call.attempt).\(call.hop)")
        case .responseReceived(let status, _, _): self.recorder.record("responseReceived \(status.code)")
        case .exchangeFailed(let error): self.recorder.record("exchangeFailed \(error.code)")
        case .exchangeShared: self.recorder.record("exchangeShared")
        case .redirected: self.recorder.record("redirected")
        case .retryScheduled(let attempt): self.recorder.record("retryScheduled \(attempt.number)")
        case .retryRefused(let refusal): self.recorder.record("retryRefused \(refusal)")
        case .hedged: self.recorder.record("hedged")
        case .callEnded: self.recorder.record("callEnded")
        case .callFailed(let error): self.recorder.record("callFailed \(error.code)")
        case .callCancelled: self.recorder.record("callCancelled")
        default: break
        }
    }
}
