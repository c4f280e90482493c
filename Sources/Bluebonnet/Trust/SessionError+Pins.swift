// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension SessionError {
    /// The pins that a server was refused for, and the keys it has; nil for all other errors.
    public var pinReport: PinReport? {
        let refusal = (self.underlying as? TransportError)?.underlying as? TrustRefusal
        return refusal?.underlying as? PinReport
    }
}
