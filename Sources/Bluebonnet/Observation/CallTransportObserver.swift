// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// Passes the transport's events to the observers of the exchange's call, and counts a body sent with its head.
struct CallTransportObserver: TransportObserver {
    private let call: Call
    /// The progress of a body in memory, which is sent in one piece; nil if it is not monitored, or counted by its
    /// reader.
    private let upload: ProgressStream?

    /// Creates an observer; nil if it would have nothing to report to.
    init?(call: Call, body: TransportBody) {
        let monitor = call.handling.monitor
        if !call.isObserved, monitor == nil { return nil }
        self.call = call
        self.upload = if case .bytes = body { monitor?.upload } else { nil }
        if !call.isObserved, self.upload == nil { return nil }
    }

    func observe(_ event: TransportEvent, of exchange: ExchangeID) {
        if let upload, case .requestBodyEnded(let byteCount) = event { upload.complete(byteCount) }
        // Some events follow the last one of the call, for example that the connection was released.
        guard !self.call.isFinished else { return }
        self.call.tell(.transport(event))
    }
}
