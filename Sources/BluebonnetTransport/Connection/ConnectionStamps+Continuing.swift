// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ConnectionStamps {
    /// Takes over when establishment began on another connection, which this one continues.
    mutating func continueEstablishment(of first: ConnectionStamps) {
        self.tlsPreparationStarted = first.tlsPreparationStarted
        self.tlsPreparationEnded = first.tlsPreparationEnded
        self.resolveStarted = first.resolveStarted
        self.resolveEnded = first.resolveEnded
        self.connectStarted = first.connectStarted
    }
}
