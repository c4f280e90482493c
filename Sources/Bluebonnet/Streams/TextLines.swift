// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension StreamedResponse {
    /// The lines of the body as text, each as soon as it has arrived; the last one may lack its line end.
    ///
    /// The default options apply: lines end with LF or CR LF and have at most 1 MiB unless ``StreamLimits`` says
    /// otherwise, and bytes that are not UTF-8 are replaced. For other options see ``lines(_:)``.
    ///
    /// ```swift
    /// for try await line in try await api.stream("log").lines { print(line) }
    /// ```
    public var lines: TextLines { self.lines(LineOptions()) }

    /// The lines of the body as text, each as soon as it has arrived; the last one may lack its line end.
    ///
    /// - Parameter options: The line ends, the largest length, and how bytes that are not UTF-8 are handled.
    /// - Returns: The lines, for one consumer.
    public func lines(_ options: LineOptions) -> TextLines { TextLines(response: self, options: options) }
}

/// The lines of a response as text; see ``StreamedResponse/lines(_:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest
/// of the body is abandoned.
public struct TextLines: AsyncSequence, Sendable {
    public typealias Element = String

    let response: StreamedResponse
    let options: LineOptions

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: StreamReader(self.response, TextLineParser(self.options, self.response.streamLimits)))
    }

    /// The iterator of a ``TextLines``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: StreamReader<TextLineParser>

        /// Waits for the next line; nil at the end of the body.
        public mutating func next() async throws -> String? { try await self.reader.next() }
    }
}

/// Splits a stream into lines and decodes them.
struct TextLineParser: StreamParser {
    private var splitter: StreamSplitter
    private let refusesInvalidText: Bool

    init(_ options: LineOptions, _ limits: StreamLimits = StreamLimits()) {
        self.splitter = options.splitter(limits)
        self.refusesInvalidText = options.invalidText == .refused
    }

    mutating func append(_ buffer: ByteBuffer) {
        self.splitter.append(buffer)
    }

    mutating func next() throws(SessionError) -> String? {
        guard let line = try self.splitter.next() else { return nil }
        return try self.text(of: line)
    }

    mutating func finish() throws(SessionError) -> String? {
        guard let line = try self.splitter.finish() else { return nil }
        return try self.text(of: line)
    }

    private func text(of line: ByteBuffer) throws(SessionError) -> String {
        guard self.refusesInvalidText else { return String(decoding: line.readableBytesView, as: UTF8.self) }
        if let text = String(validating: line.readableBytesView, as: UTF8.self) { return text }
        throw SessionError(
            .serializationFailed,
            reason: "line \(self.splitter.count) of the response is not UTF-8",
            isRequestSent: true
        )
    }
}
