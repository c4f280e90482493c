// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// What the two protocols of resumable uploads do differently: the fields of requests and responses.
///
/// Positions are those within one upload: the part of the file that it carries begins at 0.
protocol UploadDialect: Sendable {
    /// The protocol and its version, as a journal has it.
    var name: String { get }

    /// Asks the server what it offers; nil where the protocol does not.
    func discovery(_ request: Request) -> Request?

    /// Reads the response to a discovery.
    func capabilities(_ response: Response) throws(SessionError) -> UploadCapabilities

    /// How many uploads carry the file.
    func partCount(_ byteCount: Int64, _ capabilities: UploadCapabilities) -> Int

    /// Whether the request that creates an upload carries its first bytes.
    func createsWithContent(_ capabilities: UploadCapabilities) -> Bool

    /// Makes the request that creates an upload; its body is set already.
    func create(_ request: inout Request, _ piece: UploadPiece) throws(SessionError)

    /// Makes the request that sends a piece to an upload; its body is set already.
    func append(_ request: inout Request, _ piece: UploadPiece)

    /// Makes the request that asks how much the server has.
    func inquire(_ request: inout Request)

    /// Makes the request that gives an upload up.
    func terminate(_ request: inout Request)

    /// Makes the request that joins partial uploads; nil where the protocol does not.
    func join(_ request: Request, _ urls: [String], _ source: UploadSource) throws(SessionError) -> Request?

    /// Adds the digest of the body.
    func addDigest(
        _ request: inout Request,
        of range: Range<Int64>,
        _ source: UploadSource,
        _ capabilities: UploadCapabilities
    ) throws

    /// Reads a successful response.
    ///
    /// - Parameters:
    ///   - headers: Its header fields.
    ///   - piece: What was sent; nil after an inquiry.
    ///   - length: The number of bytes of the upload.
    /// - Returns: What the server says.
    /// - Throws: `SessionError` with `uploadProtocolFailed`.
    func receipt(_ headers: HTTPFields, for piece: UploadPiece?, of length: Int64) throws(SessionError) -> UploadReceipt

    /// Whether a response refuses the upload after it has arrived as a whole: it is over, and no byte of it is missing.
    func isRefusalOfWhole(_ response: Response) -> Bool

    /// Whether an informational response tells of an upload by the rules of this protocol.
    func tellsOfUpload(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Bool
}

/// The bytes of one request.
struct UploadPiece: Sendable {
    /// The name of the file, for what the server is told about it.
    var fileName: String
    /// Where it begins in the upload, and where it ends.
    var range: Range<Int64>
    /// The number of bytes of the upload.
    var length: Int64
    /// Whether the upload is one of several that are joined.
    var isOfPart: Bool

    /// Whether nothing follows.
    var isLast: Bool { self.range.upperBound == self.length }
}

/// What a server says of an upload.
struct UploadReceipt: Sendable, Equatable {
    /// How many bytes it has; nil if it does not say.
    var offset: Int64?
    /// The number of bytes of the upload; nil if it does not say.
    var length: Int64?
    /// Whether the upload is over.
    var isComplete = false
    /// Until when it is kept, as the server wrote it.
    var expires: String?
    /// The sizes it accepts.
    var limits: UploadLimits?
}
