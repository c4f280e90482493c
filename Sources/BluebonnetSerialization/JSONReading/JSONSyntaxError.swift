// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Where and why a text is not JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; lines end with LF, CR or CRLF.
    public var line: Int

    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// The offset in bytes in the original encoding of the document, from 0.
    public var byteOffset: Int

    /// What was expected and what was found.
    public var reason: String

    public var description: String {
        "line \(self.line), column \(self.column) (byte \(self.byteOffset)): \(self.reason)"
    }
}

extension JSONSyntaxError: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
