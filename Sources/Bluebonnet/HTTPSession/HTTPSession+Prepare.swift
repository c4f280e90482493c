// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

extension HTTPSession {
    /// Builds the request of a call without sending it.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the query or the body as ``requestSerializer`` says; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters` or `multipart`.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    /// - Returns: The call.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` or
    ///   ``SessionError/Code/serializationFailed``.
    public func prepare(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(SessionError) -> PreparedCall {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body, multipart)
        return try self.prepare(method, path, arguments)
    }

    /// Builds the request of a call with a value of any `Encodable` type for its parameters, without sending it.
    ///
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` or
    ///   ``SessionError/Code/serializationFailed``.
    // For the two functions, see the safe methods.
    @_disfavoredOverload
    public func prepare(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(SessionError) -> PreparedCall {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, nil, multipart)
        return try self.prepare(method, path, arguments)
    }

    /// Sends a GET request and returns when the head of its response has arrived and was accepted.
    ///
    /// ```swift
    /// let rows = try await api.stream("rows")
    /// for try await bytes in rows.body { count += bytes.readableBytes }
    /// ```
    ///
    /// For another method see ``prepare(_:_:query:parameters:body:multipart:headers:options:timeout:progress:)``.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: The parameters, written into the query; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call, reading the body included; nil for what the options say.
    ///   - validation: Which responses are accepted: status 200 to 299 with any content type unless given.
    /// - Returns: The response, its body still to be read.
    /// - Throws: ``SessionError`` with ``SessionError/Code/unacceptableStatus`` before the first byte is delivered, and
    ///   those of the verbs; `CancellationError` when the task is cancelled.
    public func stream(
        _ path: any RequestPath,
        query: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        validation: ResponseValidation = ResponseValidation()
    ) async throws -> StreamedResponse {
        let arguments = CallArguments(query, nil, headers, options, timeout)
        return try await self.prepare(.get, path, arguments).stream(validation: validation)
    }

    /// Opens a stream of server-sent events with a GET request, and returns when its head has arrived and was accepted.
    ///
    /// The stream reconnects when its connection is lost; see ``EventSource``. If the first connection fails, this
    /// function throws; to retry it as well, use ``PreparedCall/events(reconnecting:)``.
    ///
    /// ```swift
    /// for try await event in try await api.events("chat") { print(event.data) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: The parameters, written into the query; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none. A `totalTimeout` among them would end the stream,
    ///     so there is no argument for it.
    ///   - reconnecting: When and how it reconnects, and the limits of the stream.
    /// - Returns: The events.
    /// - Throws: ``SessionError`` with ``SessionError/Code/unacceptableStatus`` or
    ///   ``SessionError/Code/unacceptableContentType`` for a response that is not an event stream, and those of the
    ///   verbs; `CancellationError` when the task is cancelled.
    public func events(
        _ path: any RequestPath,
        query: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        reconnecting: EventSource.Options = EventSource.Options()
    ) async throws -> EventSource {
        let arguments = CallArguments(query, nil, headers, options)
        return try await self.prepare(.get, path, arguments).events(reconnecting: reconnecting).connected()
    }

    /// Sends a GET request and writes the body of its response into a file.
    ///
    /// The status is validated first, and the destination is either untouched or complete; see
    /// ``Session/download(_:to:destinationOptions:policy:monitor:)-(_,URL,_,_,_)``.
    ///
    /// ```swift
    /// let file = try await api.download("image.iso", to: destination, destinationOptions: .overwrite) {
    ///     print($0.fraction ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - destination: The file's URL.
    ///   - query: The parameters, written into the query; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    ///   - progress: Called with the progress of the response's body, on no particular thread.
    /// - Returns: The file.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which leaves no file behind unless the policy keeps it.
    @discardableResult
    public func download(
        _ path: any RequestPath,
        to destination: URL,
        query: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> DownloadedFile {
        try await self.download(
            path,
            to: .file(destination),
            query: query,
            headers: headers,
            options: options,
            timeout: timeout,
            destinationOptions: destinationOptions,
            policy: policy,
            progress: progress
        )
    }

    /// Sends a GET request and writes the body of its response into a file whose destination may depend on it.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - destination: The destination of the file.
    ///   - query: The parameters, written into the query; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    ///   - progress: Called with the progress of the response's body, on no particular thread.
    /// - Returns: The file.
    /// - Throws: What ``PreparedCall/download(to:destinationOptions:policy:)-(DownloadDestination,_,_)`` throws.
    @discardableResult
    public func download(
        _ path: any RequestPath,
        to destination: DownloadDestination,
        query: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> DownloadedFile {
        let call = try self.prepare(.get, path, CallArguments(query, nil, headers, options, timeout, progress))
        return try await call.download(to: destination, destinationOptions: destinationOptions, policy: policy)
    }

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
    ///   - timeout: The longest time for each request of the upload; nil for what the options say.
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
        timeout: Duration? = nil,
        resuming upload: ResumableUpload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> UploadedFile {
        let arguments = CallArguments(query, nil, headers, options, timeout, progress)
        return try await self.prepare(method, path, arguments).upload(file, resuming: upload)
    }

    func prepare(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        _ arguments: CallArguments
    ) throws(SessionError) -> PreparedCall {
        PreparedCall(
            request: try self.makeRequest(method, path, arguments),
            session: self.session,
            decoder: self.decoder,
            progress: arguments.progress
        )
    }
}
