// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

extension HTTPSession {
    /// Uploads a file, and continues an earlier upload of it to the same URL.
    ///
    /// ```swift
    /// let uploaded = try await api.upload(file, to: "files", resuming: .tus())
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - path: The URL that creates uploads, relative to ``baseURL``: text, parts that are each escaped, or a URL;
    ///     see ``RequestPath``.
    ///   - method: POST by default; PUT is used with the draft only.
    ///   - query: The parameters, written into the query; nil for none.
    ///   - headers: Header fields of every request of the upload.
    ///   - options: Options of each request that override ``options``; nil for none.
    ///   - upload: The protocol, and how an upload continues.
    ///   - progress: Called with the bytes that the server has acknowledged, on no particular thread.
    /// - Returns: The uploaded file.
    /// - Throws: What ``Session/upload(_:with:resuming:monitor:)`` throws.
    public func upload(
        _ file: URL,
        to path: any RequestPath,
        method: HTTPRequest.Method = .post,
        query: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        resuming upload: ResumableUpload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> UploadedFile {
        let arguments = CallArguments(query, nil, headers, options, nil, progress)
        return try await self.prepare(method, path, arguments).upload(file, resuming: upload)
    }
}
