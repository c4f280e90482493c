// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The body of a request, as a source that can be read as often as needed.
///
/// A body is a factory of ``BodyReader``s, so that a redirect, a retry or an authentication challenge can send it
/// again. If it cannot be produced twice, ``isReplayable`` is false.
public enum RequestBody: Sendable {
    /// No body, which differs from an empty body.
    case none

    /// Bytes in memory.
    case data(Data)

    /// A regular file, read when it is sent.
    case file(URL)

    /// A multipart form, read part by part.
    ///
    /// Stored in a box, because it is ten times as large as any other body, and requests are copied.
    indirect case multipart(MultipartFormData)

    /// A custom source of bytes.
    ///
    /// - Parameters:
    ///   - length: The number of bytes that every reader returns; nil if unknown (the body is then sent chunked).
    ///   - isReplayable: Whether `makeReader` may be called more than once.
    ///   - makeReader: Makes a reader that starts at the first byte.
    case stream(length: Int64? = nil, isReplayable: Bool = true, makeReader: @Sendable () throws -> any BodyReader)
}

extension RequestBody {
    /// The length of the body in bytes; nil if it is unknown, or if the size of its file cannot be determined.
    ///
    /// It is 0 for ``none``. For a file it queries the file system.
    public var contentLength: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let url): try? OpenFile.regularFileByteCount(of: url)
        case .multipart(let form): form.contentLength
        case .stream(let length, _, _): length
        }
    }

    /// Whether the body can be read more than once.
    ///
    /// A redirect that keeps the method, a retry and an authentication challenge require this, unless the body was held
    /// back for `100 Continue` and nobody has begun to read it.
    public var isReplayable: Bool {
        switch self {
        case .none, .data, .file: true
        case .multipart(let form): form.isReplayable
        case .stream(_, let isReplayable, _): isReplayable
        }
    }

    /// The bytes, if they are in memory; nil for a body that must be read.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// Creates a body from a part of a file, which can be read as often as needed.
    ///
    /// For protocols that send a large file in several requests:
    ///
    /// ```swift
    /// let megabyte: Range<Int64> = 0..<1_048_576
    /// request.body = .file(file, bytes: megabyte)
    /// ```
    ///
    /// The request gets no Content-Type from the file's name. When the body is read, a file that does not have these
    /// bytes, or loses some of them, fails with ``SerializationError/Code/lengthMismatch``, and one that cannot be read
    /// with the errors of ``makeReader()``. The file may grow.
    ///
    /// - Parameters:
    ///   - url: The file URL of a regular file.
    ///   - bytes: The offsets of the bytes to send, the first byte of the file being 0.
    /// - Returns: A body whose length is that of the range.
    public static func file(_ url: URL, bytes: Range<Int64>) -> RequestBody {
        // A range from a negative offset is refused by the reader, and may be longer than any length.
        let length = bytes.upperBound.subtractingReportingOverflow(bytes.lowerBound)
        return .stream(length: length.overflow ? .max : length.partialValue) {
            try FilePartReader(url, bytes: bytes)
        }
    }

    /// Creates a body from a reader that can be read once.
    ///
    /// - Parameters:
    ///   - reader: The reader.
    ///   - length: The number of bytes it returns; nil if unknown.
    /// - Returns: A body that is not replayable: a second reader is refused with
    ///   ``SerializationError/Code/bodyNotReplayable``.
    public static func reader(_ reader: some BodyReader, length: Int64? = nil) -> RequestBody {
        let source = SingleUseReader(reader)
        return .stream(length: length, isReplayable: false, makeReader: { try source.take() })
    }
}
