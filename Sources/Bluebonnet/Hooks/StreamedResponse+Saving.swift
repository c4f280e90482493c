// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials

extension StreamedResponse {
    /// Writes the rest of the body into a file, so that a response that has begun becomes a download.
    ///
    /// The bytes go into a partial file beside the destination, which takes the destination's name when all of them are there; on an error and
    /// on cancellation it is removed. Neither the status nor the type is looked at. A body that the session decodes is saved decoded, which
    /// ``Session/download(_:to:options:monitor:)`` does not do.
    ///
    /// ```swift
    /// let response = try await session.send(Request(url: url))
    /// if response.headers[.contentType] == "application/zip" {
    ///     let file = try await response.save(to: destination, options: .overwrite)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The file's URL. What is there already is kept, unless ``DownloadOptions/overwrite`` is given.
    ///   - options: What may be done to get it there.
    /// - Returns: The file.
    /// - Throws: ``SessionError``: ``SessionError/Code/incompleteDownload``, ``SessionError/Code/destinationExists``,
    ///   ``SessionError/Code/destinationUnavailable``, ``SessionError/Code/storageFull``, ``SessionError/Code/storageFailed``, and what
    ///   reading the body throws; `CancellationError` when the task is cancelled. The rest of the body is given up then.
    // Concurrent, because writing blocks while the disk is busy, and the caller's actor may be the main one.
    @concurrent
    public func save(to destination: URL, options: DownloadOptions = []) async throws -> DownloadedFile {
        do {
            let byteCount = try await Session.write(
                self,
                to: DownloadDestination(destination, options: options),
                options: options
            )
            return DownloadedFile(url: destination, byteCount: byteCount, response: self.response(body: Data()))
        } catch {
            self.body.abandon()
            throw SessionError.wrapping(error, request: self.request, source: .transport)
        }
    }
}
