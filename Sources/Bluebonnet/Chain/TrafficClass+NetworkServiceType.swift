// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

extension TrafficClass {
    /// Creates the traffic class of a network service type.
    init(_ type: RequestOptions.NetworkServiceType) {
        self =
            switch type {
            case .default: .standard
            case .background: .lowerEffort
            case .responsiveData: .lowLatencyData
            case .avStreaming: .multimediaStreaming
            case .responsiveAV: .realTimeInteractive
            case .video: .multimediaConferencing
            case .callSignaling: .signaling
            case .voip, .voice: .telephony
            }
    }
}
