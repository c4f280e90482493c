// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Crypto
import FoundationEssentials
import HTTPTypes

/// The fields of draft-ietf-httpbis-resumable-upload.
struct DraftDialect: UploadDialect {
    private static var uploadResumptionSupported: Int { 104 }

    let version: UploadDraftVersion

    var name: String { "draft-\(self.version.rawValue)" }

    func discovery(_ request: Request) -> Request? { nil }

    func capabilities(_ response: Response) -> UploadCapabilities { UploadCapabilities() }

    func partCount(_ byteCount: Int64, _ capabilities: UploadCapabilities) -> Int { 1 }

    func createsWithContent(_ capabilities: UploadCapabilities) -> Bool { true }

    func create(_ request: inout Request, _ piece: UploadPiece) {
        if request.method != .put { request.method = .post }
        self.add(to: &request)
        self.setEnd(of: piece, &request)
        request.headers[.length] = "\(piece.length)"
    }

    func append(_ request: inout Request, _ piece: UploadPiece) {
        request.method = .patch
        self.add(to: &request)
        self.setEnd(of: piece, &request)
        request.headers[.offset] = "\(piece.range.lowerBound)"
        request.headers[.contentType] = self.version.hasContentType ? "application/partial-upload" : nil
    }

    func inquire(_ request: inout Request) {
        request.method = .head
        self.add(to: &request)
        request.headers[.contentType] = nil
    }

    func terminate(_ request: inout Request) {
        request.method = .delete
        self.add(to: &request)
        request.headers[.contentType] = nil
    }

    func join(_ request: Request, _ urls: [String], _ source: UploadSource) -> Request? { nil }

    func addDigest(
        _ request: inout Request,
        of range: Range<Int64>,
        _ source: UploadSource,
        _ capabilities: UploadCapabilities
    ) throws {
        guard !range.isEmpty else { return }
        let digest = try source.digest(of: range, with: SHA256.self)
        request.headers[.contentDigest] = "sha-256=:\(digest.base64EncodedString()):"
    }

    func receipt(_ headers: HTTPFields, for piece: UploadPiece?, of length: Int64) -> UploadReceipt {
        let offset = headers.byteCount(.offset)
        // The response to the last piece is the one to the whole, and needs no field of the draft; but an offset in it
        // may say that bytes are missing.
        let isEnd = piece?.isLast == true && (offset ?? length) == length
        return UploadReceipt(
            offset: offset,
            length: headers.byteCount(.length),
            isComplete: self.isComplete(headers) ?? isEnd,
            limits: headers.uploadLimits
        )
    }

    func isRefusalOfWhole(_ response: Response) -> Bool {
        response.status.kind != .successful && !self.isIndirectSuccess(response)
            && self.isComplete(response.headers) == true
    }

    func isIndirectSuccess(_ response: Response) -> Bool {
        response.status == .seeOther && self.isComplete(response.headers) == true
    }

    /// Responses of another version are not interpreted by the rules of this one, and the server does not choose the
    /// field.
    func tellsOfUpload(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Bool {
        status.code == Self.uploadResumptionSupported
            && headers.byteCount(.interopVersion) == Int64(self.version.rawValue)
    }

    private func isComplete(_ headers: HTTPFields) -> Bool? {
        // Servers of one version are known to also send the field of the other, with a meaningless value.
        self.version.hasUploadComplete ? headers.flag(.complete) : headers.flag(.incomplete).map { !$0 }
    }

    private func add(to request: inout Request) {
        request.headers[.interopVersion] = "\(self.version.rawValue)"
    }

    private func setEnd(of piece: UploadPiece, _ request: inout Request) {
        if self.version.hasUploadComplete {
            request.headers[.complete] = piece.isLast ? "?1" : "?0"
        } else {
            request.headers[.incomplete] = piece.isLast ? "?0" : "?1"
        }
    }
}
