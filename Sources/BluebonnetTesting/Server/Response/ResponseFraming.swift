// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A response in the format of a version of HTTP: the parts to write.
protocol ResponseFraming {
    var speaksHTTP2: Bool { get }
    var hasBody: Bool { get }
    /// Whether the connection stays open after it.
    var keepsConnection: Bool { get }
    /// The maximum size of a piece of the body, in bytes.
    var pieceLimit: Int { get }

    /// Returns the informational responses and the head; nothing for a raw response.
    func head() -> [NIOAny]

    /// Returns a piece of the body.
    func body(_ piece: ByteBuffer) -> NIOAny

    /// Returns the end of the body; nil for nothing.
    func end() -> NIOAny?
}
