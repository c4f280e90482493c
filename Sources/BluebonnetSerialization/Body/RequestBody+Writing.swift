// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension RequestBody {
    /// Writes the whole body to a file, atomically, without blocking the caller's thread or actor.
    ///
    /// The bytes go to a temporary file in the same directory, which takes the destination's name at the end and is removed if anything
    /// fails or the task is cancelled. Other tasks get a turn after every 64 KiB. The throttle of a form does not apply.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - replacesExisting: Whether a file that is there already is replaced; no unless given.
    /// - Returns: The number of bytes written.
    /// - Throws: ``SerializationError`` as the blocking function does; `CancellationError` when the task is cancelled.
    @concurrent
    @discardableResult
    public func write(to url: URL, replacesExisting: Bool = false) async throws -> Int64 {
        var file = try BodyFile(destination: url, replacesExisting: replacesExisting)
        var reader = try self.unthrottled.makeReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1_024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try Task.checkCancellation()
            let count = try reader.readChecked(into: buffer, subject: "The request body")
            if count == 0 { break }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            await Task.yield()
        }
        return try file.commit()
    }
}
