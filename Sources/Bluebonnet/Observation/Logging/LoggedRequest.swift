// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// The forms in which a request is logged.
struct LoggedRequest {
    private static let largestBody = 16 * 1024

    let request: Request
    let visibility: LogVisibility

    /// The URL: scheme, host, port and path, and if visible, the query without secret values.
    var url: String {
        let redacted = RequestTarget.redacted(self.request.url)
        // Of a URL that cannot be used nobody knows which part is secret.
        guard self.visibility.showsQuery, (try? RequestTarget(self.request.url)) != nil else {
            return LogText.line(redacted)
        }
        let url = Redaction.secrets.url(self.request.url.absoluteString)
        return LogText.line(String(Substring(url.utf8.prefix { $0 != UInt8(ascii: "#") })))
    }

    /// The header fields, one text for each.
    var headers: [String] { Self.lines(self.request.headers, self.visibility) }

    /// The request as a command of one line.
    ///
    /// A hidden body is read from standard input.
    var command: String {
        var shown = self.request
        if let url = URL(string: self.url) { shown.url = url }
        shown.headers = HTTPFields(self.request.headers.map { Self.shown($0, self.visibility) })
        let command = self.isBodyShown ? shown.cURL() : nil
        // Only the body, which is otherwise shown unchanged, can contain a line break.
        if let command, !command.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return LogText.line(command) }
        if case .none = shown.body {} else { shown.body = .stream(length: nil, makeReader: { HiddenBody() }) }
        return LogText.line(shown.cURL())
    }

    /// Header fields, one text for each, without hidden values.
    static func lines(_ headers: HTTPFields, _ visibility: LogVisibility) -> [String] {
        headers.map { LogText.line("\($0.name.rawName): \(Self.value(of: $0, visibility))") }
    }

    /// A header field without its hidden value; one that is not hidden keeps its bytes.
    private static func shown(_ field: HTTPField, _ visibility: LogVisibility) -> HTTPField {
        let value = Self.value(of: field, visibility)
        return value.utf8.elementsEqual(field.value.utf8) ? field : HTTPField(name: field.name, value: value)
    }

    private static func value(of field: HTTPField, _ visibility: LogVisibility) -> String {
        let name = field.name
        return visibility.headers.contains(name) ? field.value(hiding: .secrets) : Redaction.mark
    }

    /// Whether the type of the body is visible, which is used to find its secrets.
    private var isTypeShown: Bool {
        self.visibility.headers.contains(.contentType) || !self.request.headers.contains(.contentType)
    }

    private var isBodyShown: Bool {
        switch self.request.body {
        case .none: true
        case .data(let data): self.visibility.showsBodies && data.count <= Self.largestBody && self.isTypeShown
        case .file: self.visibility.showsBodies
        case .multipart, .stream: false
        }
    }
}

/// Stands for a hidden body; it is never read.
private struct HiddenBody: BodyReader {
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
}
