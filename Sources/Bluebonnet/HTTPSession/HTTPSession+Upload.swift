// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

extension HTTPSession {
    /// Uploads a file, and goes on where an earlier upload of it to the same URL stopped.
    ///
    /// ```swift
    /// let uploaded = try await api.upload(file, to: "files", resuming: .tus())
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - path: What creates uploads, relative to ``baseURL``: text, parts that are escaped each, or a URL; see ``RequestPath``.
    ///   - method: POST unless given; PUT counts with the draft alone.
    ///   - query: The parameters, written into the query; nil for none.
    ///   - headers: Header fields of every request of the upload.
    ///   - options: What each request asks for differently from ``options``; nil for nothing.
    ///   - upload: The protocol, and how the upload goes on.
    ///   - progress: Called with the bytes that the server has acknowledged, on no particular thread.
    /// - Returns: The file as the server has it.
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
