// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Sends a request and calls a function with its decoded JSON, for code without `async`.
    ///
    /// ```swift
    /// api.start(.get, "users", parameters: ["page": page], as: [User].self) { result in
    ///     print((try? result.get())?.count ?? 0)
    /// }
    /// ```
    ///
    /// One function each for success and failure comes from a task:
    /// `try api.prepare(.get, "users").task(serializer: .string).resume(success: { … }, failure: { … })`.
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
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        as type: Value.Type,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> SessionTask<Value>? {
        let arguments = CallArguments(query, parameters, headers, options, timeout, nil, body, multipart)
        return self.start(method, path, arguments, completion) { $0.task(as: type) }
    }

    /// Sends a request with a value of any `Encodable` type for its parameters, for code without `async`.
    // For the two functions, see the safe methods.
    @_disfavoredOverload
    @discardableResult
    public func start<Value: Decodable & Sendable>(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        as type: Value.Type,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> SessionTask<Value>? {
        let arguments = CallArguments(query, parameters, headers, options, timeout, nil, nil, multipart)
        return self.start(method, path, arguments, completion) { $0.task(as: type) }
    }

    /// Sends a request and calls a function with what a serializer makes of the response, for code without `async`.
    ///
    /// ```swift
    /// api.start(.get, "motd", serializer: .string) { print((try? $0.get()) ?? "") }
    /// ```
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
    ///   - serializer: Validates the response and converts it into a value.
    ///   - completion: Called once, as by
    ///     ``start(_:_:query:parameters:body:multipart:headers:options:timeout:as:completion:)``.
    /// - Returns: The task, which has begun; nil if the request could not be built, which `completion` gets as an
    ///   error.
    @discardableResult
    public func start<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        serializer: Serializer,
        completion: @escaping @Sendable (Result<Serializer.Output, any Error>) -> Void
    ) -> SessionTask<Serializer.Output>? {
        let arguments = CallArguments(query, parameters, headers, options, timeout, nil, body, multipart)
        return self.start(method, path, arguments, completion) { $0.task(serializer: serializer) }
    }

    /// Sends a request with a value of any `Encodable` type for its parameters, for code without `async`.
    // For the two functions, see the safe methods.
    @_disfavoredOverload
    @discardableResult
    public func start<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        serializer: Serializer,
        completion: @escaping @Sendable (Result<Serializer.Output, any Error>) -> Void
    ) -> SessionTask<Serializer.Output>? {
        let arguments = CallArguments(query, parameters, headers, options, timeout, nil, nil, multipart)
        return self.start(method, path, arguments, completion) { $0.task(serializer: serializer) }
    }

    private func start<Value: Sendable>(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        _ arguments: CallArguments,
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ makeTask: (PreparedCall) -> SessionTask<Value>
    ) -> SessionTask<Value>? {
        do {
            let task = makeTask(try self.prepare(method, path, arguments))
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
}
