// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

extension Session {
    /// The tasks that have not ended, in the order of their creation.
    ///
    /// A task that was never resumed is included as long as the program retains it.
    public var tasks: [any AnySessionTask] { self.registry.tasks }

    /// The tasks of ``tasks`` that convert a response into a value.
    public var dataTasks: [any AnySessionTask] { self.tasks.filter { $0.kind == .data } }

    /// The tasks of ``tasks`` that send a large body.
    public var uploadTasks: [any AnySessionTask] { self.tasks.filter { $0.kind == .upload } }

    /// The tasks of ``tasks`` that write a response into a file.
    public var downloadTasks: [any AnySessionTask] { self.tasks.filter { $0.kind == .download } }

    /// Makes a task that converts a response into a value; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    /// - Returns: The task, suspended.
    public func dataTask<Serializer: ResponseSerializer>(
        with request: Request,
        serializer: Serializer = WholeResponseSerializer.response
    ) -> DataTask<Serializer.Output> {
        self.task(.data, request, serializer)
    }

    /// Makes a task that sends a request with a large body; it starts with ``SessionTask/resume()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: Request,
        serializer: Serializer = WholeResponseSerializer.response
    ) -> UploadTask<Serializer.Output> {
        self.task(.upload, request, serializer)
    }

    func task<Serializer: ResponseSerializer>(
        _ kind: SessionTaskKind,
        _ request: Request,
        _ serializer: Serializer
    ) -> SessionTask<Serializer.Output> {
        SessionTask(kind, request, of: self, serializer: serializer) { handling in
            try await self.value(for: request, serializer, handling)
        }
    }
}
