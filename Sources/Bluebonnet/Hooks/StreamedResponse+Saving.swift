// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials

extension StreamedResponse {
    /// Writes the rest of the body into a file, so that a response that has begun becomes a download.
    ///
    /// The bytes go into a partial file beside the destination, which takes the destination's name when all of them are there; on an error and
    /// on cancellation it is removed. Neither the status nor the type is looked at. A body that the session decodes is saved decoded, which
    /// ``Session/download(_:to:options:policy:monitor:)-(_,URL,_,_,_)`` does not do.
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
        // A body that was decoded is not what its digests were made of.
        var policy = DownloadPolicy()
        policy.validation = .none
        policy.verifiesResponseDigests = false
        let plan = DownloadPlan(
            request: self.request,
            destination: .file(destination),
            options: options,
            policy: policy
        )
        do {
            return try await self.save(plan)
        } catch {
            self.body.abandon()
            throw SessionError.wrapping(error, request: self.request, source: .transport)
        }
    }

    private func save(_ plan: DownloadPlan) async throws -> DownloadedFile {
        // The call that the response belongs to is not the file's: its observers are told of the body, as of any other.
        let call = Call(plan.request)
        var transfer = try DownloadTransfer(plan)
        do {
            _ = try await transfer.accept(self, call)
            for try await buffer in self.body { try transfer.write(buffer, call) }
            return try transfer.finish(self, call)
        } catch {
            throw transfer.failure(error, isKept: false).error
        }
    }
}
