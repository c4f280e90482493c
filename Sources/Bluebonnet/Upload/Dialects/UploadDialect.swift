// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// The differences between the two protocols of resumable uploads: the fields of requests and responses.
///
/// Positions are relative to one upload: the part of the file that it carries begins at 0.
protocol UploadDialect: Sendable {
    /// The protocol and its version, as recorded in a journal.
    var name: String { get }

    /// Makes the request for the server's capabilities; nil if the protocol has none.
    func discovery(_ request: Request) -> Request?

    /// Parses the response to a discovery.
    func capabilities(_ response: Response) throws(SessionError) -> UploadCapabilities

    /// The number of uploads that carry the file.
    func partCount(_ byteCount: Int64, _ capabilities: UploadCapabilities) -> Int

    /// Whether the request that creates an upload carries its first bytes.
    func createsWithContent(_ capabilities: UploadCapabilities) -> Bool

    /// Completes the request that creates an upload; its body is set already.
    func create(_ request: inout Request, _ piece: UploadPiece) throws(SessionError)

    /// Completes the request that sends a piece to an upload; its body is set already.
    func append(_ request: inout Request, _ piece: UploadPiece)

    /// Completes the request for the server's offset.
    func inquire(_ request: inout Request)

    /// Completes the request that terminates an upload.
    func terminate(_ request: inout Request)

    /// Makes the request that joins partial uploads; nil if the protocol has none.
    func join(_ request: Request, _ urls: [String], _ source: UploadSource) throws(SessionError) -> Request?

    /// Adds the digest of the body.
    func addDigest(
        _ request: inout Request,
        of range: Range<Int64>,
        _ source: UploadSource,
        _ capabilities: UploadCapabilities
    ) throws

    /// Parses a successful response.
    ///
    /// - Parameters:
    ///   - headers: Its header fields.
    ///   - piece: The piece that was sent; nil after an inquiry.
    ///   - length: The number of bytes of the upload.
    /// - Returns: The server's information about the upload.
    /// - Throws: `SessionError` with `uploadProtocolFailed`.
    func receipt(_ headers: HTTPFields, for piece: UploadPiece?, of length: Int64) throws(SessionError) -> UploadReceipt

    /// Whether a response refuses the upload after all of it has arrived: the upload has ended, and no byte is missing.
    func isRefusalOfWhole(_ response: Response) -> Bool

    /// Whether a response that is no success says that the upload is complete, and that its result is elsewhere
    /// (RFC 9110 section 15.4.4).
    func isIndirectSuccess(_ response: Response) -> Bool

    /// Whether an informational response is about an upload by the rules of this protocol.
    func tellsOfUpload(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Bool
}

/// The bytes carried by one request.
struct UploadPiece: Sendable {
    /// The name of the file, for its metadata.
    var fileName: String
    /// The range of the piece in the upload.
    var range: Range<Int64>
    /// The number of bytes of the upload.
    var length: Int64
    /// Whether the upload is one of several that are joined.
    var isOfPart: Bool

    /// Whether it is the last piece.
    var isLast: Bool { self.range.upperBound == self.length }

    /// Whether it is the whole file, which a server may process when it has the piece.
    var isWhole: Bool { !self.isOfPart && !self.range.isEmpty && self.range == 0..<self.length }
}

/// A server's information about an upload.
struct UploadReceipt: Sendable, Equatable {
    /// The number of bytes that the server has; nil if it does not say.
    var offset: Int64?
    /// The number of bytes of the upload; nil if it does not say.
    var length: Int64?
    /// Whether the upload is complete.
    var isComplete = false
    /// The time until which it is kept, as the server wrote it.
    var expires: String?
    /// The sizes that the server accepts.
    var limits: UploadLimits?
}
