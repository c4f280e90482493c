// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Crypto
import FoundationEssentials
import HTTPTypes

/// The fields of tus 1.0.0: core, creation, creation-with-upload, checksum, expiration, termination and concatenation.
struct TusDialect: UploadDialect {
    static let version = "1.0.0"
    /// The smallest number of bytes of a part that is sent in parallel with others.
    private static let smallestPart: Int64 = 1024 * 1024
    private static let contentType = "application/offset+octet-stream"
    /// The statuses of a server that did not process a request, or of a gateway without its server.
    private static let absent: Set<Int> = [408, 423, 425, 429, 502, 503, 504]

    let options: TusOptions

    var name: String { "tus-\(Self.version)" }

    func discovery(_ request: Request) -> Request? {
        var request = request
        request.method = .options
        request.headers[.contentType] = nil
        return request
    }

    func capabilities(_ response: Response) throws(SessionError) -> UploadCapabilities {
        let versions = response.headers.list(.tusVersion)
        guard versions.isEmpty || versions.contains(where: { $0.utf8.elementsEqual(Self.version.utf8) }) else {
            throw .uploadProtocol("the server speaks tus, and not version \(Self.version) of it", response)
        }
        var capabilities = UploadCapabilities()
        guard response.status.kind == .successful else {
            // A server that is away for the moment says nothing about its extensions.
            guard !Self.absent.contains(response.status.code) else { throw UploadPartTransfer.refusal(response) }
            // One that does not list them supports the core and the creation.
            return capabilities
        }
        capabilities.extensions = Set(response.headers.list(.tusExtension))
        capabilities.checksumAlgorithms = response.headers.list(.tusChecksumAlgorithm)
        capabilities.limits.largestFile = response.headers.byteCount(.tusMaxSize)
        return capabilities
    }

    func partCount(_ byteCount: Int64, _ capabilities: UploadCapabilities) -> Int {
        guard capabilities.extensions.contains("concatenation") else { return 1 }
        return Int(min(Int64(self.options.parallelism), max(byteCount / Self.smallestPart, 1)))
    }

    func createsWithContent(_ capabilities: UploadCapabilities) -> Bool {
        self.options.createsWithContent && capabilities.extensions.contains("creation-with-upload")
    }

    func create(_ request: inout Request, _ piece: UploadPiece) throws(SessionError) {
        self.add(to: &request, .post)
        request.headers[.length] = "\(piece.length)"
        request.headers[.contentType] = piece.range.isEmpty ? nil : Self.contentType
        if piece.isOfPart {
            request.headers[.concat] = "partial"
        } else {
            request.headers[.metadata] = try self.metadata(piece.fileName)
        }
    }

    func append(_ request: inout Request, _ piece: UploadPiece) {
        self.add(to: &request, .patch)
        request.headers[.offset] = "\(piece.range.lowerBound)"
        request.headers[.contentType] = Self.contentType
    }

    func inquire(_ request: inout Request) { self.add(to: &request, .head) }

    func terminate(_ request: inout Request) { self.add(to: &request, .delete) }

    func join(_ request: Request, _ urls: [String], _ source: UploadSource) throws(SessionError) -> Request? {
        var request = request
        self.add(to: &request, .post)
        request.body = .data(Data())
        request.headers[.concat] = "final;" + urls.joined(separator: " ")
        request.headers[.metadata] = try self.metadata(source.url.lastPathComponent)
        return request
    }

    func addDigest(
        _ request: inout Request,
        of range: Range<Int64>,
        _ source: UploadSource,
        _ capabilities: UploadCapabilities
    ) throws {
        guard !range.isEmpty, capabilities.extensions.contains("checksum") else { return }
        if capabilities.checksumAlgorithms.contains("sha256") {
            let digest = try source.digest(of: range, with: SHA256.self)
            request.headers[.checksum] = "sha256 \(digest.base64EncodedString())"
        } else if capabilities.checksumAlgorithms.contains("sha1") {
            // Every server with the extension has to support it; it detects transmission errors, not attacks.
            let digest = try source.digest(of: range, with: Insecure.SHA1.self)
            request.headers[.checksum] = "sha1 \(digest.base64EncodedString())"
        }
    }

    // A server of this protocol has no field for that.
    func isRefusalOfWhole(_ response: Response) -> Bool { false }

    func isIndirectSuccess(_ response: Response) -> Bool { false }

    func tellsOfUpload(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Bool { false }

    func receipt(
        _ headers: HTTPFields,
        for piece: UploadPiece?,
        of length: Int64
    ) throws(SessionError) -> UploadReceipt {
        let offset = headers.byteCount(.offset)
        if piece == nil, offset == nil {
            throw .uploadProtocol("the server does not say how much of the upload it has")
        }
        return UploadReceipt(
            offset: offset,
            length: headers.byteCount(.length),
            isComplete: offset == length,
            expires: headers[.uploadExpires]
        )
    }

    /// `Upload-Metadata`: pairs of a key and a value in Base64.
    func metadata(_ fileName: String) throws(SessionError) -> String {
        var pairs = self.options.metadata
        if pairs["filename"] == nil { pairs["filename"] = fileName }
        if pairs["filetype"] == nil { pairs["filetype"] = "application/octet-stream" }
        var texts: [String] = []
        for (key, value) in pairs.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }) else {
                throw SessionError(
                    .invalidRequest,
                    reason: "a key of the metadata is empty, or not in visible ASCII characters without commas"
                )
            }
            texts.append(value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())")
        }
        return texts.joined(separator: ",")
    }

    private func add(to request: inout Request, _ method: HTTPRequest.Method) {
        request.method = method
        request.headers[.tusResumable] = Self.version
        request.headers[.contentType] = nil
    }
}
