// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// The fields of the two protocols.
enum UploadField: String {
    case offset = "Upload-Offset"
    case length = "Upload-Length"
    case metadata = "Upload-Metadata"
    case checksum = "Upload-Checksum"
    case concat = "Upload-Concat"
    case uploadExpires = "Upload-Expires"
    case complete = "Upload-Complete"
    case incomplete = "Upload-Incomplete"
    case limit = "Upload-Limit"
    case interopVersion = "Upload-Draft-Interop-Version"
    case contentDigest = "Content-Digest"
    case tusResumable = "Tus-Resumable"
    case tusVersion = "Tus-Version"
    case tusExtension = "Tus-Extension"
    case tusMaxSize = "Tus-Max-Size"
    case tusChecksumAlgorithm = "Tus-Checksum-Algorithm"
}

extension HTTPFields {
    /// The single value of a field; nil if there is none, or several that differ.
    subscript(field: UploadField) -> String? {
        get {
            guard let name = HTTPField.Name(field.rawValue) else { return nil }
            let values = self[values: name]
            guard let first = values.first, values.allSatisfy({ $0.utf8.elementsEqual(first.utf8) }) else { return nil }
            return first
        }
        set {
            guard let name = HTTPField.Name(field.rawValue) else { return }
            self[name] = newValue
        }
    }

    /// The members of a list, over all lines of the field, without surrounding blanks.
    func list(_ field: UploadField) -> [String] {
        guard let name = HTTPField.Name(field.rawValue) else { return [] }
        return self[values: name].flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.map {
            String(Substring($0.trimmingBlanks))
        }
    }

    /// A number of bytes, of up to 18 digits only.
    func byteCount(_ field: UploadField) -> Int64? { self[field].flatMap { Int64(digits: $0.utf8[...]) } }

    /// A Boolean of RFC 8941 section 3.3.6; its parameters are ignored.
    func flag(_ field: UploadField) -> Bool? {
        guard let bytes = self[field]?.utf8[...].trimmingBlanks else { return nil }
        let item = bytes.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks
        if item.elementsEqual("?1".utf8) { return true }
        return item.elementsEqual("?0".utf8) ? false : nil
    }

    /// The sizes of `Upload-Limit`, a dictionary of RFC 8941 section 3.2; nil without the field.
    var uploadLimits: UploadLimits? {
        guard let name = HTTPField.Name(UploadField.limit.rawValue), self.contains(name) else { return nil }
        var limits = UploadLimits()
        for member in self.list(.limit) {
            let bytes = member.utf8
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = bytes[bytes.index(after: equals)...].prefix { $0 != UInt8(ascii: ";") }
            guard let count = Int64(digits: value) else { continue }
            switch String(bytes[..<equals].trimmingBlanks) ?? "" {
            case "max-size": limits.largestFile = count
            case "max-append-size": limits.largestPiece = count
            case "min-append-size": limits.smallestPiece = count
            default: break
            }
        }
        return limits
    }
}

extension Int64 {
    /// Parses a number of up to 18 digits, with blanks around it; nil for anything else.
    fileprivate init?(digits: Substring.UTF8View) {
        let bytes = digits.trimmingBlanks
        guard bytes.count <= 18, let number: Int64 = bytes.decimalNumber() else { return nil }
        self = number
    }
}
