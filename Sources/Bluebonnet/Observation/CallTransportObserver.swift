// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// Hands the events of the transport to the observers of the call that the exchange belongs to.
struct CallTransportObserver: TransportObserver {
    let call: Call

    func observe(_ event: TransportEvent, of exchange: ExchangeID) {
        // Some events follow the last one of the call, for example that the connection was released.
        guard !self.call.isFinished else { return }
        self.call.tell(.transport(event))
    }
}
