// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Where and why a text is not JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; lines end with LF, CR or CRLF.
    public var line: Int

    /// The position in the line in Unicode scalars, from 1.
    public var column: Int

    /// The position in the document in bytes, from 0, as the document was encoded.
    public var byteOffset: Int

    /// What was expected and what was there.
    public var reason: String

    public var description: String {
        "line \(self.line), column \(self.column) (byte \(self.byteOffset)): \(self.reason)"
    }
}

extension JSONSyntaxError: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
