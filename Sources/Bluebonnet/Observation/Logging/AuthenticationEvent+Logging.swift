// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Logging

extension AuthenticationEvent {
    /// The event as a log record.
    var logged: (message: Logger.Message, metadata: Logger.Metadata) {
        switch self {
        case .challengeAnswered(let scheme, let space):
            (
                "HTTP challenge answered",
                [
                    "scheme": .string(LogText.line(scheme.name)), "origin": "\(space.origin)",
                    "realm": .string(LogText.line(space.realm)),
                ]
            )
        case .challengeRefused(let refusal, let origin):
            ("HTTP challenge refused", ["refusal": "\(refusal.rawValue)", "origin": "\(origin)"])
        case .tokenReplaced(let origin):
            ("HTTP token replaced", ["origin": "\(origin)"])
        case .proxyChallengeAnswered(let scheme, let proxy):
            ("HTTP proxy challenge answered", ["scheme": .string(LogText.line(scheme.name)), "proxy": "\(proxy)"])
        case .refreshStarted: ("Token refresh started", [:])
        case .refreshJoined: ("Token refresh joined", [:])
        case .refreshEnded: ("Token refresh ended", [:])
        case .refreshFailed(let code, let reason):
            ("Token refresh failed", ["error": "\(code)", "reason": .string(LogText.line(reason))])
        }
    }
}
