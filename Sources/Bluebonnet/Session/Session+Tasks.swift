// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials

extension Session {
    /// Makes a task that turns a response into a value; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response and turns it into a value.
    /// - Returns: The task, suspended.
    public func dataTask<Serializer: ResponseSerializer>(
        with request: Request,
        serializer: Serializer
    ) -> DataTask<Serializer.Output> {
        SessionTask(self.tasks) { monitor, gate in
            let response = try await self.response(for: request, monitor: monitor, gate: gate)
            return try await Self.value(of: response, serializer: serializer, request: request)
        }
    }

    /// Makes a task that sends a request with a large body; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response and turns it into a value.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: Request,
        serializer: Serializer
    ) -> UploadTask<Serializer.Output> {
        self.dataTask(with: request, serializer: serializer)
    }

    /// Makes a task that writes a response's body into a file; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: Where the file goes; see ``download(_:to:options:monitor:)``.
    ///   - options: What may be done to get it there.
    /// - Returns: The task, suspended.
    public func downloadTask(
        with request: Request,
        to destination: URL,
        options: DownloadOptions = []
    ) -> DownloadTask {
        SessionTask(self.tasks) { monitor, gate in
            try await self.download(request, to: destination, options: options, monitor: monitor, gate: gate)
        }
    }
}
