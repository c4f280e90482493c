// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

// The verbs as handles, for requests that are started, held back or cancelled from elsewhere.
extension HTTPSession {
    /// Makes a task that sends a request of any method and turns its response into a value.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: The parameters; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - serializer: Validates the response and turns it into a value.
    /// - Returns: The task, suspended.
    /// - Throws: ``SessionError`` if the request cannot be built.
    public func dataTask<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields(),
        serializer: Serializer
    ) throws(SessionError) -> DataTask<Serializer.Output> {
        let request = try self.request(method, path, parameters: parameters, headers: headers)
        return self.session.dataTask(with: request, serializer: serializer)
    }

    /// Makes a task that sends a multipart form and turns its response into a value.
    ///
    /// - Parameters:
    ///   - method: The method; GET and HEAD take no form.
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: Plain fields that go before the form's parts; nil for none.
    ///   - multipart: The form, streamed part by part.
    ///   - headers: Header fields that replace those of the same name.
    ///   - serializer: Validates the response and turns it into a value.
    /// - Returns: The task, suspended.
    /// - Throws: ``SessionError`` if the request cannot be built.
    public func uploadTask<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: ParameterValue? = nil,
        multipart: MultipartFormData,
        headers: HTTPFields = HTTPFields(),
        serializer: Serializer
    ) throws(SessionError) -> UploadTask<Serializer.Output> {
        let request = try self.request(method, path, parameters: parameters, multipart: multipart, headers: headers)
        return self.session.uploadTask(with: request, serializer: serializer)
    }

    /// Makes a task that sends a GET request and writes the body of its response into a file.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - destination: The file's URL; see ``Session/download(_:to:options:monitor:)``.
    ///   - parameters: The parameters, written into the query; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: What may be done to get it there.
    /// - Returns: The task, suspended.
    /// - Throws: ``SessionError`` if the request cannot be built.
    public func downloadTask(
        _ path: String,
        to destination: URL,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields(),
        options: DownloadOptions = []
    ) throws(SessionError) -> DownloadTask {
        let request = try self.request(.get, path, parameters: parameters, headers: headers)
        return self.session.downloadTask(with: request, to: destination, options: options)
    }
}
