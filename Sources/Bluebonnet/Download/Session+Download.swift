// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials
import HTTPTypes
import NIOCore

extension Session {
    /// Sends a request and writes the body of its response into a file.
    ///
    /// The status is validated first; a response that is not a success leaves no file. The bytes go into a partial file of a random name
    /// beside the destination (`.name.XXXXXXXX.partial`), which takes the destination's name when all of them are there. On an error and on
    /// cancellation it is removed, so the destination is either untouched or complete. Memory use does not depend on the size.
    ///
    /// ```swift
    /// let file = try await session.download(Request(url: url), to: directory.appending(path: "image.iso"))
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The file's URL. What is there already is kept, unless ``DownloadOptions/overwrite`` is given.
    ///   - options: What may be done to get it there.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The file.
    /// - Throws: ``SessionError``: ``SessionError/Code/unacceptableStatus`` for a status other than 200 to 299,
    ///   ``SessionError/Code/incompleteDownload``, ``SessionError/Code/destinationExists``,
    ///   ``SessionError/Code/destinationUnavailable``, ``SessionError/Code/storageFull``, ``SessionError/Code/storageFailed``, and those of
    ///   any exchange. `CancellationError` when the task is cancelled.
    public func download(
        _ request: Request,
        to destination: URL,
        options: DownloadOptions = [],
        monitor: TransferMonitor? = nil
    ) async throws -> DownloadedFile {
        try await self.download(request, to: destination, options: options, CallHandling(monitor: monitor))
    }

    // Concurrent, because writing blocks while the disk is busy, and the caller's actor may be the main one.
    @concurrent
    func download(
        _ request: Request,
        to destination: URL,
        options: DownloadOptions,
        _ handling: CallHandling
    ) async throws -> DownloadedFile {
        // The file is saved as the server has it, compressed or not.
        var handling = handling
        handling.decodesContent = false
        // Before a call is made: a destination that cannot work costs no transfer.
        let place = try self.place(destination, options, request, handling)
        let call = self.makeCall(request, handling)
        do {
            let response = try await self.run(call).observed(by: call, endsCall: false)
            guard response.status.kind == .successful else { throw await Self.unacceptable(response) }
            let byteCount = try await Self.write(response, to: place, options: options)
            call.finish(.completed)
            return DownloadedFile(url: destination, byteCount: byteCount, response: response.response(body: Data()))
        } catch {
            throw call.fail(error, source: .interceptor)
        }
    }

    private func place(
        _ destination: URL,
        _ options: DownloadOptions,
        _ request: Request,
        _ handling: CallHandling
    ) throws -> DownloadDestination {
        do {
            return try DownloadDestination(destination, options: options)
        } catch {
            handling.monitor?.finish()
            throw SessionError.wrapping(error, request: request, source: .transport)
        }
    }

    static func write(
        _ response: StreamedResponse,
        to place: DownloadDestination,
        options: DownloadOptions
    ) async throws -> Int64 {
        var file = try place.createFile()
        do {
            for try await buffer in response.body {
                try buffer.withUnsafeReadableBytes { (bytes) throws(SystemError) in try file.write(bytes) }
            }
        } catch let error as SystemError {
            throw SessionError(error)
        }
        if let expected = response.body.expectedLength, expected != file.byteCount {
            throw SessionError(
                .incompleteDownload,
                reason: "the response announced \(expected) bytes and had \(file.byteCount)",
                response: response.response(body: Data()),
                isRequestSent: true
            )
        }
        // The last moment at which a cancelled download leaves nothing behind.
        try Task.checkCancellation()
        do throws(SystemError) {
            try file.commit(
                replacing: options.contains(.overwrite),
                synchronizing: options.contains(.synchronize)
            )
        } catch {
            throw SessionError(error)
        }
        return file.byteCount
    }

    /// The error for a response that is not a success, with the beginning of its body: it often says what is wrong.
    private static func unacceptable(_ response: StreamedResponse) async -> any Error {
        let body: Data
        do {
            body = try await response.response(upTo: 64 * 1024).body
        } catch is CancellationError {
            return CancellationError()
        } catch {
            body = Data()
        }
        return SessionError(
            .unacceptableStatus,
            reason: "the server answered with status \(response.status.code), so nothing was saved",
            response: response.response(body: body),
            isRequestSent: true
        )
    }
}
