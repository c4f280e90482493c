// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

// For code without `async`. Other results than decoded JSON come from `prepare(…).task(serializer:)`.
extension HTTPSession {
    /// Sends a request and calls a function with its decoded JSON, for code without `async`.
    ///
    /// ```swift
    /// api.start(.get, "users", parameters: ["page": page], as: [User].self) { result in
    ///     print((try? result.get())?.count ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the query or the body as ``requestSerializer`` says; nil for none.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - type: The type to decode.
    ///   - completion: Called once, in the context of ``Session/Configuration/completion``, with the value or with the
    ///     error that a verb would throw; never before this function has returned, unless that context is
    ///     ``CompletionContext/inline``.
    /// - Returns: The task, which has begun; nil if the request could not be built, which `completion` gets as an
    ///   error.
    @discardableResult
    public func start<Value: Decodable & Sendable>(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        as type: Value.Type,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> SessionTask<Value>? {
        let arguments = CallArguments(query, parameters, headers, nil, nil, nil, nil, multipart)
        do {
            let task = try self.prepare(method, path, arguments).task(as: type)
            task.onCompletion(completion)
            task.resume()
            return task
        } catch {
            let context = self.session.configuration.completion
            context.enter()
            context.run([{ completion(.failure(error)) }], hasEntered: true)
            return nil
        }
    }

    /// Sends a request and calls one of two functions, with its decoded JSON or with an error, for code without `async`.
    ///
    /// ```swift
    /// api.start(.post, "users", parameters: ["name": name], as: User.self, success: { print($0) }, failure: { print($0) })
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the query or the body as ``requestSerializer`` says; nil for none.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - type: The type to decode.
    ///   - success: Called with the value; see ``start(_:_:query:parameters:multipart:headers:as:completion:)``.
    ///   - failure: Called with the error that a verb would throw.
    /// - Returns: The task, which has begun; nil if the request could not be built, which `failure` gets as an error.
    @discardableResult
    public func start<Value: Decodable & Sendable>(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        as type: Value.Type,
        success: @escaping @Sendable (Value) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) -> SessionTask<Value>? {
        self.start(
            method,
            path,
            query: query,
            parameters: parameters,
            multipart: multipart,
            headers: headers,
            as: type
        ) { result in
            switch result {
            case .success(let value): success(value)
            case .failure(let error): failure(error)
            }
        }
    }
}
