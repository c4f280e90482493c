// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How the packets of a connection leave this machine, as its request specifies.
///
/// It is part of the pool key: a connection is reused only for requests with the same value.
struct Egress: Hashable, Sendable {
    /// The local address that the request specifies; nil for the transport's own choice.
    var localAddress: String?
    /// The traffic class of the packets.
    var trafficClass = TrafficClass.standard
    /// Whether packets may leave through a cellular interface.
    var allowsCellularAccess = true
}

extension Egress {
    init(_ request: TransportRequest) {
        self.localAddress = request.localAddress
        self.trafficClass = request.trafficClass
        self.allowsCellularAccess = request.allowsCellularAccess
    }
}
