// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials

extension StreamedResponse {
    /// Writes the rest of the body into a file, so that a response that has begun becomes a download.
    ///
    /// The bytes are written to a partial file beside the destination, which is renamed to the destination when all of
    /// them have arrived; on an error and on cancellation it is removed. Neither the status nor the type is checked. A
    /// body that the session decodes is saved decoded, unlike with
    /// ``Session/download(_:to:destinationOptions:policy:monitor:)-(_,URL,_,_,_)``.
    ///
    /// ```swift
    /// let response = try await session.send(Request(url: url))
    /// if response.headers[.contentType] == "application/zip" {
    ///     let file = try await response.save(to: destination, destinationOptions: .overwrite)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The file's URL. An existing file is kept, unless ``DownloadOptions/overwrite`` is given.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    /// - Returns: The file.
    /// - Throws: ``SessionError``: ``SessionError/Code/incompleteDownload``, ``SessionError/Code/destinationExists``,
    ///   ``SessionError/Code/destinationUnavailable``, ``SessionError/Code/storageFull``,
    ///   ``SessionError/Code/storageFailed``, and what reading the body throws; `CancellationError` when the task is
    ///   cancelled. The rest of the body is then abandoned.
    // Concurrent, because writing blocks while the disk is busy, and the caller's actor may be the main one.
    @concurrent
    public func save(to destination: URL, destinationOptions: DownloadOptions = []) async throws -> DownloadedFile {
        // The digests do not apply to a decoded body.
        var policy = DownloadPolicy()
        policy.validation = .none
        policy.verifiesResponseDigests = false
        let plan = DownloadPlan(
            request: self.request,
            destination: .file(destination),
            options: destinationOptions,
            policy: policy
        )
        do {
            return try await self.save(plan)
        } catch {
            self.body.abandon()
            throw self.bodyFailure(error)
        }
    }

    private func save(_ plan: DownloadPlan) async throws -> DownloadedFile {
        // This is not the call of the response, whose observers are told about the body as usual.
        let call = Call(plan.request)
        var transfer = try DownloadTransfer(plan)
        do {
            // A part of the body may have been read.
            var rest = self
            rest.body = self.body.rest
            _ = try await transfer.accept(rest, call)
            for try await buffer in rest.body { try transfer.write(buffer, call) }
            return try transfer.finish(rest, call)
        } catch {
            throw transfer.failure(error, isKept: false).error
        }
    }
}
