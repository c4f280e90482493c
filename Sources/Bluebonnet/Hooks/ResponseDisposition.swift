// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

/// What happens to a response whose head has arrived.
public enum ResponseDisposition: Sendable {
    /// The body is read and converted into a value.
    case allow
    /// The task is cancelled, which closes the connection or, on HTTP/2, resets the stream.
    case cancel
    /// The body is written into a file, like that of a download; see ``StreamedResponse/save(to:destinationOptions:)``.
    case becomeDownload(to: URL, destinationOptions: DownloadOptions = [])
}

/// The result of a task with a ``ResponseDisposition``.
public enum DeliveredResponse<Value: Sendable>: Sendable {
    /// The value of the response that was allowed.
    case value(Value)
    /// The file of the response that became a download.
    case file(DownloadedFile)
}

extension Session {
    /// Makes a task that decides about its response when the head has arrived; it starts with ``SessionTask/resume()``.
    ///
    /// ```swift
    /// let task = session.dataTask(with: Request(url: url), serializer: .string) { response in
    ///     response.headers[.contentType] == "text/plain" ? .allow : .becomeDownload(to: destination)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates an allowed response and converts it into a value.
    ///   - disposition: Decides about a response without its body, once for each response that is delivered, so not for
    ///     a redirect that is followed. What it throws ends the task: a `CancellationError` and a ``SessionError`` as they
    ///     are, any other error as a ``SessionError`` that has it in ``SessionError/underlying``, with the code
    ///     ``SessionError/Code/interceptorFailed`` unless it is an error of one of the library's modules.
    /// - Returns: The task, suspended. Its value is the value of the response, or the file that the response became.
    public func dataTask<Serializer: ResponseSerializer>(
        with request: Request,
        serializer: Serializer,
        disposition: @escaping @Sendable (Response) async throws -> ResponseDisposition
    ) -> DataTask<DeliveredResponse<Serializer.Output>> {
        SessionTask(.data, request, of: self, serializer: serializer) { handling in
            try await self.delivered(request, serializer, handling, disposition)
        }
    }

    private func delivered<Serializer: ResponseSerializer>(
        _ request: Request,
        _ serializer: Serializer,
        _ handling: CallHandling,
        _ disposition: @escaping @Sendable (Response) async throws -> ResponseDisposition
    ) async throws -> DeliveredResponse<Serializer.Output> {
        let call = self.makeCall(request, handling)
        do {
            let response = try await self.run(call).observed(by: call, ending: .withFailure)
            let delivered: DeliveredResponse<Serializer.Output>
            let head = response.response(body: Data())
            switch try await Self.decision(about: head, call, disposition) {
            case .allow:
                let whole = try await response.response(upTo: self.configuration.limits.responseByteCount)
                handling.record?.collected(whole)
                delivered = .value(try await Self.value(of: whole, serializer, call))
            case .cancel:
                throw CancellationError()
            case .becomeDownload(let destination, let options):
                delivered = .file(try await response.save(to: destination, destinationOptions: options))
            }
            call.finish(.completed)
            return delivered
        } catch {
            throw call.fail(error, source: .interceptor)
        }
    }

    /// Asks the program about a response.
    private static func decision(
        about head: Response,
        _ call: Call,
        _ disposition: @escaping @Sendable (Response) async throws -> ResponseDisposition
    ) async throws -> ResponseDisposition {
        try await call.decision {
            do {
                return try await disposition(head)
            } catch {
                throw SessionError.wrapping(error, request: call.originalRequest, source: .disposition)
            }
        }
    }
}
