// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes

extension Request {
    /// Returns the request as a `curl` command line for a POSIX shell.
    ///
    /// ```swift
    /// print(request.cURL())
    /// // curl 'https://example.com/v1/users?page=2' -H 'Content-Type: application/json' --data-raw '{"name":"Ada"}'
    /// ```
    ///
    /// Everything with a meaning for the shell is quoted, and so is what has a meaning for `curl` only: brackets in a
    /// URL, an empty header value, an `@` at the start of a body. A body in memory is part of the command; if it is not
    /// printable text, it is passed through `printf` and a pipe. Text is not printable if it has control characters
    /// other than line breaks and tabs, or characters that change the direction of text, which could make the command
    /// read as another one. A file is named, and read when the command runs. Any
    /// other body is expected on standard input. A POST, PUT or PATCH without a body gets an empty one, so that `curl`
    /// sends `Content-Length: 0` too. What the session adds later (its own header fields, Accept-Encoding)
    /// is not included, and neither are a Content-Length and a Transfer-Encoding, which are never sent as given.
    ///
    /// - Parameter redaction: Which values are replaced by `REDACTED`: those with secret names unless given.
    /// - Returns: One line, unless a body in memory contains line breaks.
    public func cURL(redacting redaction: Redaction = .secrets) -> String {
        var words = ["curl"]
        let url = redaction.url(self.url.absoluteString)
        // By default curl interprets brackets and braces as patterns and removes dot segments.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.utf8.contains(where: { $0 == UInt8(ascii: ".") }), Self.hasDotSegment(url) {
            words.append("--path-as-is")
        }
        words.append(ShellWord.quoted(url))
        words += self.methodWords
        // Both describe the body as it is sent, and are decided there: curl would wait for a body of another length.
        for field in self.headers where ![.contentLength, .transferEncoding].contains(field.name) {
            words += ["-H", Self.word(of: field, redaction)]
        }
        let body = CommandBody(self, redaction)
        // By default curl declares every body to be a form.
        if !body.words.isEmpty, !self.headers.contains(.contentType) { words += ["-H", "Content-Type:"] }
        return body.source + (words + body.words).joined(separator: " ")
    }

    private static func word(of field: HTTPField, _ redaction: Redaction) -> String {
        let value = field.value(hiding: redaction)
        // A name with only a colon would remove a field that curl sends by default.
        if value.isEmpty { return ShellWord.quoted("\(field.name.rawName);") }
        var line = Data("\(field.name.rawName): ".utf8)
        if value.utf8.elementsEqual(field.value.utf8) {
            field.withUnsafeBytesOfValue { line.append(contentsOf: $0) }
        } else {
            line.append(contentsOf: value.utf8)
        }
        // Bytes that are not UTF-8 would become others in a text.
        guard let text = String(validating: line, as: UTF8.self) else { return ShellWord.substitution(line) }
        return ShellWord.printable(text)
    }

    private var methodWords: [String] {
        switch (self.method, self.body) {
        case (.get, .none): []
        // With -X, curl would wait for the body of the response.
        case (.head, .none): ["--head"]
        // A body, which may be empty, implies POST; with -X, curl would keep POST after a redirect that changes it to GET.
        case (.post, _): []
        default: ["-X", ShellWord.quoted(self.method.rawValue)]
        }
    }

    private static func hasDotSegment(_ url: String) -> Bool {
        url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }
}

/// How the command reads its body.
private struct CommandBody {
    /// The command before `curl`, with the pipe; empty for most bodies.
    var source = ""

    /// The options that specify the body.
    var words: [String] = []

    init(_ request: Request, _ redaction: Redaction) {
        switch request.body {
        case .none:
            // With -X alone, curl sends no Content-Length, which these methods have (RFC 9110 section 8.6).
            if [.post, .put, .patch].contains(request.method) { self.setData(Data()) }
        case .file(let url): self.words = ["--data-binary", ShellWord.printable("@\(url.path(percentEncoded: false))")]
        case .multipart, .stream: self.words = ["--data-binary", "@-"]
        case .data(let data): self.setData(Self.redacted(data, of: request, redaction))
        }
    }

    private mutating func setData(_ data: Data) {
        // An argument cannot contain NUL and has a maximum size, 128 KiB on Linux; other characters that are not
        // printable could control a terminal, or change what a reader sees.
        if data.count <= 96 * 1_024, let text = String(validating: data, as: UTF8.self), ShellWord.isPrintable(text) {
            self.words = ["--data-raw", ShellWord.quoted(text)]
        } else {
            self.source = "printf \(ShellWord.printfFormat(data)) | "
            self.words = ["--data-binary", "@-"]
        }
    }

    private static func redacted(_ data: Data, of request: Request, _ redaction: Redaction) -> Data {
        guard redaction.isActive, !data.isEmpty else { return data }
        return redaction.body(
            data,
            type: request.headers[.contentType] ?? "",
            isCoded: request.headers.hasContentCoding
        )
    }
}
