// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How the packets of a connection leave this machine, as far as a request says.
///
/// Part of what has to be equal for a connection to be used again.
struct Egress: Hashable, Sendable {
    /// The address of this machine that the request asks for; nil for the transport's own choice.
    var localAddress: String?
    /// What the packets are marked with.
    var trafficClass = TrafficClass.standard
    /// Whether they may leave by a cellular interface.
    var allowsCellularAccess = true
}

extension Egress {
    init(_ request: TransportRequest) {
        self.localAddress = request.localAddress
        self.trafficClass = request.trafficClass
        self.allowsCellularAccess = request.allowsCellularAccess
    }
}
