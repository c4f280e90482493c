// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationXML
internal import Synchronization

/// A document tree that can be handed from one thread to another.
///
/// Foundation's `XMLDocument` may be used by one thread at a time; this class sees to that.
public final class ParsedXML: Sendable {
    private let document: Mutex<XMLDocument>

    init(_ document: sending XMLDocument) {
        self.document = Mutex(document)
    }

    /// Works on the tree, while nobody else does.
    ///
    /// - Parameter body: What to do with the tree; keep no node of it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func withDocument<Value>(_ body: (XMLDocument) throws -> sending Value) rethrows -> sending Value {
        try self.document.withLock { try body($0) }
    }
}
