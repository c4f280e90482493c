// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension RequestBody {
    /// Writes the whole body to a file, atomically, without blocking the caller's thread or actor.
    ///
    /// The bytes are written to a temporary file in the same directory, which is renamed to the destination at the end,
    /// or removed if an error occurs or the task is cancelled. It yields to other tasks after every 64 KiB. The
    /// throttle of a form does not apply.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - replacesExisting: Whether an existing file is replaced; no unless given.
    /// - Returns: The number of bytes written.
    /// - Throws: The ``SerializationError``s of the blocking function; `CancellationError` when the task is cancelled.
    @concurrent
    @discardableResult
    public func write(to url: URL, replacesExisting: Bool = false) async throws -> Int64 {
        var file = try BodyFile(destination: url, replacesExisting: replacesExisting)
        try await self.unthrottled.read { try file.write($0) }
        return try file.commit()
    }
}
