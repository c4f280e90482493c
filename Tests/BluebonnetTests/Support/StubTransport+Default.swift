// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes

extension StubTransport {
    /// Answers everything with 200 and no body.
    convenience init() {
        self.init { _ in TransportResponse(status: .ok) }
    }
}
