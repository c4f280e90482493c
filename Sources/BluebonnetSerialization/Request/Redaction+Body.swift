// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
package import FoundationEssentials

extension Redaction {
    /// Returns a body without secrets.
    ///
    /// In forms and JSON, line-delimited JSON too, values with secret names are replaced. A body of these types in
    /// which they cannot be told from the rest is left out, and so is a multipart form with a secret name in it. A body
    /// of any other type, or of none, is treated as JSON if it is JSON.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - type: The value of Content-Type; empty if there is none.
    ///   - isCoded: Whether the bytes are compressed and cannot be inspected.
    /// - Returns: The body to print.
    func body(_ data: Data, type: String, isCoded: Bool) -> Data {
        // Parameters that cannot be parsed do not make it another type.
        let essence = String(Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") })).asciiLowercased
        let name = essence.utf8.split(whereSeparator: \.isBlank).first.map { String(Substring($0)) } ?? ""
        let isForm = name == "application/x-www-form-urlencoded"
        let isJSON = Self.jsonTypes.contains(name) || name.utf8.ends(with: "+json".utf8)
        let isMultipart = name.utf8.starts(with: "multipart/".utf8)
        if isCoded { return isForm || isJSON || isMultipart || name.isEmpty ? Data(Self.mark.utf8) : data }
        if isForm { return self.form(data) }
        if !isMultipart, let hidden = self.json(data) ?? self.jsonLines(data) { return hidden }
        guard isJSON || isMultipart, self.mayHoldSecret(data, isForm: isMultipart) else { return data }
        return Data(Self.mark.utf8)
    }

    /// The types of JSON without the suffix `+json`, and of JSON texts in sequence.
    private static let jsonTypes: Set<String> = [
        "application/json", "text/json", "application/x-ndjson", "application/ndjson", "application/jsonl",
        "application/x-jsonlines", "application/json-seq",
    ]

    /// Returns line-delimited JSON, or a JSON text sequence (RFC 7464), without secret members; nil if a line is
    /// malformed.
    package func jsonLines(_ data: Data) -> Data? {
        guard self.isActive else { return data }
        var result = Data()
        var rest = data
        while true {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            var line = rest[..<end]
            if line.first == Self.recordSeparator { result.append(line.removeFirst()) }
            if line.allSatisfy({ $0.isBlank || $0 == 0x0D }) {
                result.append(line)
            } else {
                guard let hidden = self.json(Data(line)) else { return nil }
                result.append(hidden)
            }
            guard end < rest.endIndex else { return result }
            result.append(0x0A)
            rest = rest[rest.index(after: end)...]
        }
    }

    /// The first byte of a text in a sequence.
    private static let recordSeparator: UInt8 = 0x1E

    /// Returns a form without secret values; unchanged if there are none.
    private func form(_ data: Data) -> Data {
        let text = String(validating: data, as: UTF8.self) ?? Self.escaped(data)
        let hidden = self.pairs(text[...])
        return hidden.utf8.elementsEqual(text.utf8) ? data : Data(hidden.utf8)
    }

    /// Returns a form as ASCII: a byte that is percent-encoded is the same byte.
    private static func escaped(_ data: Data) -> String {
        var text: [UInt8] = []
        for byte in data {
            if byte < 0x80 { text.append(byte) } else { text.append(tripletOf: byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a secret name occurs in a document that cannot be parsed.
    private func mayHoldSecret(_ data: Data, isForm: Bool) -> Bool {
        // A JSON escape of an ASCII letter prevents the name from being found.
        data.firstRange(of: #"\u00"#.utf8) != nil || self.isSecretNamed(in: data, isOpaque: false, isForm: isForm)
    }
}
