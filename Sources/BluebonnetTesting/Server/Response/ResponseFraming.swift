// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A response in the form of a version of HTTP: what its parts are on the wire.
protocol ResponseFraming {
    var speaksHTTP2: Bool { get }
    var hasBody: Bool { get }
    /// Whether the connection goes on after it.
    var keepsConnection: Bool { get }
    /// How many bytes a piece of the body has at most.
    var pieceLimit: Int { get }

    /// What is written for the informational responses and the head; nothing for a response that brings its own.
    func head() -> [NIOAny]

    /// What is written for a piece of the body.
    func body(_ piece: ByteBuffer) -> NIOAny

    /// What is written at the end of the body; nil for nothing.
    func end() -> NIOAny?
}
