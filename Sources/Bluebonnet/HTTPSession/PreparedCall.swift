// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
import HTTPTypes

/// A request of an ``HTTPSession`` that has not been sent: it can be inspected, changed, and sent in any form.
///
/// ```swift
/// let call = try api.prepare(.post, "rows", parameters: ["name": name])
/// print(call.request.cURL())
/// let row = try await call.value(as: Row.self)
/// ```
///
/// Each function sends the request again. Errors are those of the verbs.
public struct PreparedCall: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request, as it is passed to the session.
    public var request: Request

    /// Counts the bytes of both directions, for one request; nil unless set.
    ///
    /// It ends with the first request that is sent with it, in any form.
    public var monitor: TransferMonitor?

    let session: Session
    let decoder: ResponseDecoder
    let progress: (@Sendable (TransferProgress) -> Void)?

    /// Sends the request and returns the whole response, if its status is 200 to 299.
    ///
    /// - Returns: The response.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func response() async throws -> Response {
        try await self.value(serializer: .response)
    }

    /// Sends the request and decodes the JSON of its response with ``HTTPSession/decoder``.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    public func value<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Value {
        try await self.value(serializer: self.serializer(for: type))
    }

    /// Sends the request and converts its response into a value.
    ///
    /// - Parameter serializer: Validates the response and converts it into a value. A decoding one uses
    ///   ``HTTPSession/decoder`` unless it has its own decoder.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    public func value<Serializer: ResponseSerializer>(serializer: Serializer) async throws -> Serializer.Output {
        let request = self.request.accepting(serializer.acceptableContentTypes, in: self.session)
        let serializer = serializer.decoding(with: self.decoder)
        guard self.progress != nil else {
            return try await self.session.value(for: request, serializer, self.handling(self.monitor))
        }
        return try await self.reportingProgress { monitor in
            try await self.session.value(for: request, serializer, self.handling(monitor))
        }
    }

    /// Sends the request and returns when the head of its response has arrived and was accepted.
    ///
    /// A progress closure is not called; ``monitor`` counts both directions.
    ///
    /// - Parameter validation: Which responses are accepted: status 200 to 299 with any content type by default.
    ///   Accepted types are sent as Accept.
    /// - Returns: The response, its body still to be read.
    /// - Throws: ``SessionError`` with ``SessionError/Code/unacceptableStatus``, which has up to 64 KiB of the body,
    ///   before the first byte is delivered; `CancellationError` when the task is cancelled.
    public func stream(validation: ResponseValidation = ResponseValidation()) async throws -> StreamedResponse {
        let request = self.request.accepting(validation.acceptableContentTypes, in: self.session)
        return try await self.session.streamed(request, self.handling(self.monitor)) { validation.refusal(of: $0) }
    }

    /// Sends the request and writes the body of its response into a file.
    ///
    /// - Parameters:
    ///   - destination: The file's URL; see
    ///     ``Session/download(_:to:destinationOptions:policy:monitor:)-(_,URL,_,_,_)``.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The file.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which leaves no file behind unless the policy keeps it.
    @discardableResult
    public func download(
        to destination: URL,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) async throws -> DownloadedFile {
        try await self.download(to: .file(destination), destinationOptions: destinationOptions, policy: policy)
    }

    /// Sends the request and writes the body of its response into a file whose destination may depend on the response.
    ///
    /// - Parameters:
    ///   - destination: The destination of the file.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The file.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which leaves no file behind unless the policy keeps it.
    @discardableResult
    public func download(
        to destination: DownloadDestination,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) async throws -> DownloadedFile {
        let plan = DownloadPlan(
            request: self.request,
            destination: destination,
            options: destinationOptions,
            policy: policy
        )
        return try await self.reportingProgress { monitor in
            try await self.session.download(plan, self.handling(monitor))
        }
    }

    /// Uploads a file with the request, and continues an earlier upload of it to the same URL.
    ///
    /// - Parameters:
    ///   - file: The file's URL; see ``Session/upload(_:with:resuming:monitor:)``.
    ///   - upload: The protocol, and how an upload continues.
    /// - Returns: The uploaded file.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which leaves the journal for the next call.
    public func upload(_ file: URL, resuming upload: ResumableUpload) async throws -> UploadedFile {
        try await self.reportingProgress(ofUpload: true) { monitor in
            try await self.session.upload(file, self.request, upload, self.handling(monitor))
        }
    }

    /// Makes a task that decodes the JSON of the response with ``HTTPSession/decoder``; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The task, suspended. Its progress is observed through the task, with ``monitor``, or with the progress
    ///   closure.
    public func task<Value: Decodable & Sendable>(as type: Value.Type) -> SessionTask<Value> {
        self.task(serializer: self.serializer(for: type))
    }

    /// Makes a task that converts the response into a value; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameter serializer: Validates the response and converts it into a value; the whole response by default.
    /// - Returns: The task, suspended: an upload task if the body is a form, a file or a stream, else a data task. Its
    ///   progress is observed as with ``task(as:)``.
    public func task<Serializer: ResponseSerializer>(
        serializer: Serializer = WholeResponseSerializer.response
    ) -> SessionTask<Serializer.Output> {
        let request = self.request.accepting(serializer.acceptableContentTypes, in: self.session)
        let serializer = serializer.decoding(with: self.decoder)
        let kind: SessionTaskKind =
            switch request.body {
            case .none, .data: .data
            case .file, .multipart, .stream: .upload
            }
        return SessionTask(kind, request, of: self.session, serializer: serializer, monitor: self.monitor) { handling in
            try await self.reportingProgress(with: handling.monitor) { monitor in
                try await self.session.value(for: request, serializer, self.handling(monitor, of: handling))
            }
        }
    }

    /// Makes a task that writes the body of the response into a file; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - destination: The file's URL; see
    ///     ``Session/download(_:to:destinationOptions:policy:monitor:)-(_,URL,_,_,_)``.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The task, suspended. Its progress is observed as with ``task(as:)``.
    public func downloadTask(
        to destination: URL,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) -> DownloadTask {
        self.downloadTask(to: .file(destination), destinationOptions: destinationOptions, policy: policy)
    }

    /// Makes a task that writes the body of the response into a file whose destination may depend on the response.
    ///
    /// - Parameters:
    ///   - destination: The destination of the file.
    ///   - destinationOptions: Whether to replace an existing file and to create directories.
    ///   - policy: How interruptions, wrong bytes and a loss of power are handled.
    /// - Returns: The task, suspended; it starts with ``SessionTask/resume()``. Its progress is observed as with
    ///   ``task(as:)``.
    public func downloadTask(
        to destination: DownloadDestination,
        destinationOptions: DownloadOptions = [],
        policy: DownloadPolicy = DownloadPolicy()
    ) -> DownloadTask {
        let plan = DownloadPlan(
            request: self.request,
            destination: destination,
            options: destinationOptions,
            policy: policy
        )
        return SessionTask(.download, plan.request, of: self.session, monitor: self.monitor) { handling in
            try await self.reportingProgress(with: handling.monitor) { monitor in
                try await self.session.download(plan, self.handling(monitor, of: handling))
            }
        }
    }

    /// Makes a task that uploads a file and continues an earlier upload of it; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - file: The file's URL; see ``Session/upload(_:with:resuming:monitor:)``.
    ///   - upload: The protocol, and how an upload continues.
    /// - Returns: The task, suspended. Its progress is observed as with ``task(as:)``.
    public func uploadTask(_ file: URL, resuming upload: ResumableUpload) -> UploadTask<UploadedFile> {
        SessionTask(.upload, self.request, of: self.session, monitor: self.monitor) { handling in
            try await self.reportingProgress(with: handling.monitor, ofUpload: true) { monitor in
                try await self.session.upload(file, self.request, upload, self.handling(monitor, of: handling))
            }
        }
    }

    /// How the response is wanted; an error that carries it decodes its body with the decoder of the session.
    ///
    /// - Parameters:
    ///   - monitor: Counts the bytes of both directions.
    ///   - handling: The settings of a task; those of a call without one unless given.
    /// - Returns: The settings of the call.
    func handling(_ monitor: TransferMonitor?, of handling: CallHandling = CallHandling()) -> CallHandling {
        var handling = handling
        handling.monitor = monitor
        handling.decoder = self.decoder
        return handling
    }

    private func serializer<Value>(for type: Value.Type) -> DecodableResponseSerializer<Value> {
        DecodableResponseSerializer(type, decoder: self.decoder, validation: Self.acceptableJSON)
    }

    // Created once: its sets of status codes and types cost more than anything else in a small exchange.
    private static let acceptableJSON = ResponseValidation(contentTypes: JSONResponseSerializer.defaultContentTypes)
}

extension PreparedCall {
    /// Calls the progress closure while an operation runs, and once more at its end.
    ///
    /// - Parameters:
    ///   - taskMonitor: Counts the bytes of the task that runs the operation; nil for an operation without a task.
    ///   - isUpload: Whether the request's body counts, whatever the request has for one.
    ///   - operation: Sends the request, and counts its bytes with the given monitor.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    private func reportingProgress<Output: Sendable>(
        with taskMonitor: TransferMonitor? = nil,
        ofUpload isUpload: Bool = false,
        _ operation: (TransferMonitor?) async throws -> Output
    ) async throws -> Output {
        let given = taskMonitor ?? self.monitor
        guard let progress = self.progress else { return try await operation(given) }
        let monitor = given ?? TransferMonitor()
        let stream = isUpload || !self.request.body.isNone ? monitor.upload : monitor.download
        async let steps: Void = Self.report(stream, to: progress)
        let result: Result<Output, any Error>
        do { result = .success(try await operation(monitor)) } catch { result = .failure(error) }
        // The call has ended: no step follows.
        stream.finish()
        await steps
        return try result.get()
    }

    @concurrent
    private static func report(
        _ stream: ProgressStream,
        to progress: @Sendable (TransferProgress) -> Void
    ) async {
        for await step in stream { progress(step) }
    }
}

extension RequestBody {
    fileprivate var isNone: Bool {
        if case .none = self { true } else { false }
    }
}
