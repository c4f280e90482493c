// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What an exchange on a connection waits for, which determines its time limit.
enum WireStage {
    /// The peer receives the request.
    case sending
    /// The peer prepares its response.
    case waiting
    /// The peer sends the body of its response.
    case reading

    init(isRequestSent: Bool, hasHead: Bool) {
        self = hasHead ? .reading : isRequestSent ? .waiting : .sending
    }

    /// The corresponding phase.
    var phase: ExchangePhase {
        switch self {
        case .sending: .requestBody
        case .waiting: .responseHead
        case .reading: .responseBody
        }
    }

    /// Returns the limit of this stage.
    func limit(_ timeouts: Timeouts) -> Duration? {
        switch self {
        case .sending: timeouts.requestBody
        case .waiting: timeouts.responseHead
        case .reading: timeouts.responseBody
        }
    }

    /// The stage exceeded its limit.
    func error(_ limit: Duration) -> TransportError {
        switch self {
        case .sending: .late(.requestBody, "the server did not take any byte of the request for \(limit)")
        case .waiting: .late(.responseHead, "the server did not respond within \(limit)")
        case .reading: .late(.responseBody, "the server did not send any byte of the response's body for \(limit)")
        }
    }
}
