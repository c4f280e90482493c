// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The bytes of a request, as a source that can be read as often as needed.
///
/// A body is a factory of ``BodyReader``s, so that a redirect, a retry or an authentication challenge can send it again. One
/// that cannot be produced twice says so in ``isReplayable``.
public enum RequestBody: Sendable {
    /// No body; not the same as an empty one.
    case none

    /// Bytes in memory.
    case data(Data)

    /// A regular file, read when it is sent.
    case file(URL)

    /// A multipart form, read part by part.
    case multipart(MultipartFormData)

    /// Bytes of the caller's own making.
    ///
    /// - Parameters:
    ///   - length: The number of bytes every reader will give; nil if it is not known (the body is then sent chunked).
    ///   - isReplayable: Whether `makeReader` may be called more than once.
    ///   - makeReader: Makes a reader that starts at the first byte.
    case stream(length: Int64?, isReplayable: Bool = true, makeReader: @Sendable () throws -> any BodyReader)
}

extension RequestBody {
    /// The number of bytes of the body; nil if it is not known, or if its file cannot be looked at.
    ///
    /// 0 for ``none``. Asks the file system for a file.
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
    /// A redirect that keeps the method, a retry and an authentication challenge need this.
    public var isReplayable: Bool {
        switch self {
        case .none, .data, .file: true
        case .multipart(let form): form.isReplayable
        case .stream(_, let isReplayable, _): isReplayable
        }
    }

    /// The bytes, if they are in memory already; nil for a body that has to be read.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// Creates a body from a reader that can be read once.
    ///
    /// - Parameters:
    ///   - reader: Gives the bytes.
    ///   - length: The number of bytes it will give; nil if it is not known.
    /// - Returns: A body that is not replayable: a second reader is refused with ``SerializationError/Code/bodyNotReplayable``.
    public static func reader(_ reader: some BodyReader, length: Int64?) -> RequestBody {
        let source = SingleUseReader(reader)
        return .stream(length: length, isReplayable: false, makeReader: { try source.take() })
    }
}
