// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

extension HTTPSession {
    /// Sends a GET request and writes the body of its response into a file.
    ///
    /// The status is validated first, and the destination is either untouched or complete; see
    /// ``Session/download(_:to:options:monitor:)``.
    ///
    /// ```swift
    /// let file = try await api.download("image.iso", to: directory.appending(path: "image.iso"), options: .overwrite)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - destination: The file's URL.
    ///   - parameters: The parameters, written into the query.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: What may be done to get it there.
    ///   - monitor: Watches the bytes.
    /// - Returns: The file.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which leaves no file behind.
    public func download(
        _ path: String,
        to destination: URL,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields(),
        options: DownloadOptions = [],
        monitor: TransferMonitor? = nil
    ) async throws -> DownloadedFile {
        let request = try self.request(.get, path, parameters: parameters, headers: headers)
        return try await self.session.download(request, to: destination, options: options, monitor: monitor)
    }
}
