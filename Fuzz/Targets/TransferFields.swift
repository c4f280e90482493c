// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes

@testable import Bluebonnet

/// Checks that the fields of resumable transfers (tus, the draft of the IETF, digests and ranges) have valid values, or
/// none, for any bytes.
///
/// Each line is the value of one field, in the order of ``names``.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let lines = UnsafeBufferPointer(start: start, count: count).split(separator: 0x0A, omittingEmptySubsequences: false)
    var headers = HTTPFields()
    for (name, line) in zip(names.cycled(to: lines.count), lines) {
        headers.append(HTTPField(name: name, lenientValue: line))
    }
    for field in [UploadField.offset, .length, .tusMaxSize] {
        precondition(
            (0..<1_000_000_000_000_000_000).contains(headers.byteCount(field) ?? 0),
            "a number beyond its limit"
        )
    }
    for field in [UploadField.tusVersion, .tusExtension, .tusChecksumAlgorithm, .limit] {
        precondition(!headers.list(field).contains { $0.utf8.contains(UInt8(ascii: ",")) }, "two members in one")
    }
    readUpload(headers)
    let digests = DigestFields(headers)
    for digest in digests.representation + digests.content {
        precondition([32, 64].contains(digest.bytes.count), "a digest of \(digest.bytes.count) bytes")
    }
    if case .part(let range, let total)? = ContentRange(headers) {
        precondition(range.lowerBound >= 0 && range.upperBound < total ?? .max, "a range outside the body")
    }
    return 0
}

private let names = [
    "Upload-Offset", "Upload-Length", "Upload-Complete", "Upload-Limit", "Upload-Incomplete", "Tus-Version",
    "Tus-Extension", "Tus-Max-Size", "Tus-Checksum-Algorithm", "Upload-Expires", "Repr-Digest", "Content-Digest",
    "Content-Range",
].compactMap { HTTPField.Name($0) }

extension Array {
    fileprivate func cycled(to count: Int) -> [Element] { (0..<Swift.min(count, 100)).map { self[$0 % self.count] } }
}

private func readUpload(_ headers: HTTPFields) {
    let response = Response(status: .ok, headers: headers, body: Data())
    let tus = TusDialect(options: TusOptions())
    let capabilities = (try? tus.capabilities(response)) ?? UploadCapabilities()
    for length in [Int64(0), 1, 1 << 20, 1 << 40] {
        precondition((1...64).contains(tus.partCount(length, capabilities)), "a number of parts out of bounds")
        _ = try? tus.receipt(headers, for: nil, of: length)
        for version in [UploadDraftVersion.v3, .v5, .v6] {
            let receipt = DraftDialect(version: version).receipt(headers, for: nil, of: length)
            for size in [receipt.limits?.largestFile, receipt.limits?.largestPiece, receipt.limits?.smallestPiece] {
                precondition(size ?? 0 >= 0, "a negative size")
            }
        }
    }
}
