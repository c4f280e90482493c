// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A multipart form (RFC 7578): fields and files that are sent one after another without being held in memory.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append(Data("Ada".utf8), name: "author")
/// try form.append(file: URL(filePath: "/tmp/photo.jpg"), name: "photo")
/// ```
///
/// Its length is always known. A part that returns another number of bytes than declared fails the request.
public struct MultipartFormData: Sendable {
    /// The boundary between the parts.
    public let boundary: String

    /// The parts in the order they are sent.
    public private(set) var parts: [BodyPart] = []

    /// The length of the whole body in bytes; 0 without parts.
    public private(set) var contentLength: Int64 = 0

    /// Whether a non-ASCII file name is repeated as `filename*` (RFC 8187), in parts appended from now on.
    ///
    /// No unless changed: RFC 7578 section 4.2 advises against it, but some servers need it.
    public var addsExtendedFilenames = false

    /// The error of a call that cannot throw; thrown when the form is read.
    private(set) var problem: SerializationError?

    private(set) var throttling: Throttling?
    private let isBoundaryGiven: Bool

    struct Throttling: Sendable, Hashable {
        var packetSize: Int
        var delay: Duration
    }

    /// Creates an empty form.
    ///
    /// - Parameter boundary: The boundary, 1 to 70 bytes (RFC 2046 section 5.1.1); 25 bytes with 96 random bits unless
    ///   given. If it is invalid, or if a part in memory contains it, ``makeReader()`` throws
    ///   ``SerializationError/Code/invalidBoundary``.
    public init(boundary: String? = nil) {
        self.isBoundaryGiven = boundary != nil
        self.boundary = boundary ?? Boundary.random()
        if !Boundary.isValid(self.boundary) {
            self.problem = SerializationError(
                .invalidBoundary,
                reason: "a boundary has 1 to 70 letters, digits, spaces or '()+_,-./:=?, and does not end with a space"
            )
        }
    }

    /// The value of the Content-Type field.
    public var contentType: String { "multipart/form-data; boundary=\(Boundary.parameterValue(self.boundary))" }

    /// Whether the form has no parts.
    public var isEmpty: Bool { self.parts.isEmpty }

    /// Whether the form can be read more than once: yes unless a part is not replayable.
    public var isReplayable: Bool { self.parts.allSatisfy(\.isReplayable) }

    /// Makes a reader that starts at the first byte; each has its own position and applies the throttle.
    ///
    /// - Returns: A reader.
    /// - Throws: ``SerializationError`` if the boundary or an appended part is invalid.
    public func makeReader() throws(SerializationError) -> MultipartBodyReader {
        if let problem { throw problem }
        return MultipartBodyReader(self)
    }

    /// Writes the whole body to a file, atomically; see `RequestBody.write(to:replacesExisting:)`.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - replacesExisting: Whether an existing file is replaced; no unless given.
    /// - Returns: The number of bytes written, ``contentLength``.
    /// - Throws: ``SerializationError`` if a part cannot be read, or the file cannot be written or already exists.
    @discardableResult
    public func write(to url: URL, replacesExisting: Bool = false) throws(SerializationError) -> Int64 {
        try RequestBody.multipart(self).write(to: url, replacesExisting: replacesExisting)
    }

    /// Writes the whole body to a file, atomically, without blocking the caller's thread; see
    /// `RequestBody.write(to:replacesExisting:)`.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - replacesExisting: Whether an existing file is replaced; no unless given.
    /// - Returns: The number of bytes written, ``contentLength``.
    /// - Throws: ``SerializationError`` if a part cannot be read, or the file cannot be written or already exists;
    ///   `CancellationError` when the task is cancelled. No file is left behind.
    @discardableResult
    public func write(to url: URL, replacesExisting: Bool = false) async throws -> Int64 {
        try await RequestBody.multipart(self).write(to: url, replacesExisting: replacesExisting)
    }

    /// The form without its throttle, which applies to sending only.
    var unthrottled: Self {
        var form = self
        form.throttling = nil
        return form
    }

    /// The packet size suggested for a slow cellular network: 16 KiB.
    public static let suggestedPacketSize = 16 * 1_024

    /// The delay suggested for a slow cellular network: 0.2 s.
    public static let suggestedDelay = Duration.milliseconds(200)

    /// Limits how fast the body is sent.
    ///
    /// The engine's clock measures the delay, which blocks no thread. Writing the form to a file or into memory ignores
    /// it.
    ///
    /// - Parameters:
    ///   - packetSize: The largest number of bytes returned by one read; values below 1 count as 1. 16 KiB unless
    ///     given.
    ///   - delay: The pause before every read but the first; 0.2 s unless given.
    public mutating func throttle(packetSize: Int = suggestedPacketSize, delay: Duration = suggestedDelay) {
        self.throttling = Throttling(packetSize: max(packetSize, 1), delay: max(delay, .zero))
    }

    /// Returns the length of the form with one more part; nil if it exceeds 64 bits.
    private func lengthAdding(_ part: BodyPart) -> Int64? {
        // The first part adds "--boundary CRLF" and the closing "CRLF --boundary-- CRLF"; later parts begin with
        // another CRLF.
        let boundaryByteCount = Int64(self.boundary.utf8.count)
        let framing =
            self.parts.isEmpty
            ? (boundaryByteCount + 4) + (boundaryByteCount + 8)
            : boundaryByteCount + 6
        let (withPart, hasOverflowed) = self.contentLength.addingReportingOverflow(part.contentLength)
        let (length, hasOverflowedAgain) = withPart.addingReportingOverflow(framing + Int64(part.headerBytes.count))
        return hasOverflowed || hasOverflowedAgain ? nil : length
    }

    /// Appends a part.
    mutating func append(_ part: BodyPart) throws(SerializationError) {
        guard let length = self.lengthAdding(part) else {
            throw SerializationError(.limitExceeded, reason: "the form is longer than 2^63 bytes with \(part.label)")
        }
        if self.isBoundaryGiven, case .data(let data) = part.source, self.problem == nil,
            data.contains("--\(self.boundary)")
        {
            self.problem = SerializationError(
                .invalidBoundary,
                reason: "the boundary occurs in the data of \(part.label); choose another or leave it out"
            )
        }
        self.contentLength = length
        self.parts.append(part)
    }

    /// Stores the error of a call that cannot throw.
    mutating func remember(_ problem: SerializationError) {
        if self.problem == nil { self.problem = problem }
    }

    /// Returns the form with the parts of another before its own, and with the other's problem unless it has its own.
    func prepending(_ other: MultipartFormData) throws(SerializationError) -> MultipartFormData {
        var result = self
        result.parts = []
        result.contentLength = 0
        for part in other.parts { try result.append(part) }
        for part in self.parts { try result.append(part) }
        if let problem = other.problem { result.remember(problem) }
        return result
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { self.firstRange(of: Data(text.utf8)) != nil }
}
