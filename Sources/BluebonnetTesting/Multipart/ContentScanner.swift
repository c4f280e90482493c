// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import NIOCore
import NIOHTTP1

/// Scans a request body incrementally according to its Content-Type: parts, form fields, or nothing.
struct ContentScanner {
    private enum Content {
        case opaque
        case form(FormScanner)
        case multipart(MultipartScanner)
    }

    /// Whether the Content-Type is JSON.
    let isJSON: Bool

    private var content = Content.opaque
    private var parts: [PartSummary] = []
    private var formByteCount = 0
    private var failure: ContentError?

    private static let partLimit = 10_000
    private static let formByteLimit = 16 * 1024 * 1024
    private static let fieldLimit = 100_000

    init(_ head: HTTPRequestHead, parsesForm: Bool = true) {
        let type = HeaderParameters(head.headers.first(name: "content-type") ?? "")
        self.isJSON = type.value == "application/json" || type.value.utf8.ends(with: "+json".utf8)
        if type.value.utf8.starts(with: "multipart/".utf8) {
            if let boundary = type.parameters["boundary"], (1...70).contains(boundary.utf8.count) {
                self.content = .multipart(MultipartScanner(boundary: boundary))
            } else {
                self.failure = ContentError(reason: "the multipart type has no boundary of 1 to 70 characters")
            }
        } else if type.value == "application/x-www-form-urlencoded", parsesForm {
            self.content = .form(FormScanner())
        }
    }

    mutating func receive(_ bytes: ByteBuffer) {
        guard self.failure == nil else { return }
        let content = self.content
        // The scanner is moved out, so that it is changed in place and not copied.
        self.content = .opaque
        do {
            self.content = try self.scan(bytes, content)
        } catch {
            self.failure = error
        }
    }

    private mutating func scan(_ bytes: ByteBuffer, _ content: consuming Content) throws(ContentError) -> Content {
        switch content {
        case .opaque: return .opaque
        case .form(var form):
            self.formByteCount += bytes.readableBytes
            guard self.formByteCount <= Self.formByteLimit else {
                throw ContentError(reason: "the form is longer than \(Self.formByteLimit) bytes")
            }
            form.receive(bytes.readableBytesView)
            try Self.checkCount(of: form.fields)
            return .form(form)
        case .multipart(var multipart):
            try multipart.receive(bytes) { event throws(ContentError) in try self.take(event) }
            return .multipart(multipart)
        }
    }

    private static func checkCount(of fields: [(name: String, value: String)]) throws(ContentError) {
        guard fields.count <= Self.fieldLimit else {
            throw ContentError(reason: "the form has more than \(Self.fieldLimit) fields")
        }
    }

    private mutating func take(_ event: MultipartScanner.Event) throws(ContentError) {
        switch event {
        case .part(let headers):
            guard self.parts.count < Self.partLimit else { throw ContentError(reason: "there are too many parts") }
            self.parts.append(PartSummary(headers: headers))
        case .bytes(let bytes): self.parts[self.parts.count - 1].receive(bytes)
        case .end: break
        }
    }

    /// Returns the result, as members of a JSON object.
    mutating func finish() throws(ContentError) -> [(String, JSONOutput)] {
        if let failure { throw failure }
        switch self.content {
        case .opaque: return []
        case .form(var form):
            let fields = form.finish()
            try Self.checkCount(of: fields)
            return [("form", .pairs(fields))]
        case .multipart(let multipart):
            try multipart.finish()
            return [("parts", .array(self.parts.map(\.json)))]
        }
    }
}

/// One part: its header fields, length and digest, and its text if it is short and not a file.
struct PartSummary {
    private let headers: PartHeaders
    private var digest = BodyDigest()
    private var text: [UInt8] = []
    private static let textLimit = 64 * 1024

    init(headers: PartHeaders) {
        self.headers = headers
    }

    mutating func receive(_ bytes: ByteBuffer) {
        self.digest.update(bytes)
        guard self.headers.filename == nil, self.text.count < Self.textLimit else { return }
        self.text.append(contentsOf: bytes.readableBytesView)
    }

    var json: JSONOutput {
        var members: [(String, JSONOutput)] = [
            ("name", .optional(self.headers.name)),
            ("filename", .optional(self.headers.filename)),
            ("contentType", .optional(self.headers["content-type"])),
            ("headers", .pairs(self.headers.fields)),
            ("byteCount", .number(self.digest.byteCount)),
            ("sha256", .string(self.digest.sha256)),
        ]
        if self.headers.filename == nil, Int64(self.text.count) == self.digest.byteCount,
            let text = String(validating: self.text, as: UTF8.self)
        {
            members.append(("text", .string(text)))
        }
        return .object(members)
    }
}
