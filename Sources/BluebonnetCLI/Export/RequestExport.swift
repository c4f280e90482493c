// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// Writes a request for another program: `--as`.
struct RequestExport {
    let plan: RequestPlan

    /// The text, with a line end.
    ///
    /// - Throws: `CommandFailure` for a request that cannot be exported.
    func text(_ form: ExportForm) throws(CommandFailure) -> String {
        switch form {
        case .curl: try Self.printable(self.curl()) + "\n"
        case .httpie: try Self.printable(self.httpie()) + "\n"
        case .swift:
            try SwiftExport(
                request: self.sent,
                plan: self.plan,
                form: self.form,
                followsRedirects: self.plan.followsRedirects && self.follows(in: form)
            ).text()
        }
    }

    /// The options that a form cannot carry over, and that were given.
    func leftOut(_ form: ExportForm) -> [String] {
        let options =
            switch form {
            case .curl: self.options.curl.leftOut
            case .httpie: self.options.httpie.leftOut
            case .swift: self.options.swift.leftOut
            }
        var leftOut = options
        if self.hasRetries, !self.retries(in: form) { leftOut.append("--retry") }
        if self.plan.followsRedirects, !self.follows(in: form) {
            let option = self.options.isOfCurl ? "--location" : "--follow"
            leftOut.append("\(option) (of \(self.plan.request.method.rawValue))")
        }
        if form == .swift {
            leftOut += self.removedFields.filter { $0 != .userAgent }.map { "\($0.rawName):" }
        }
        return leftOut + self.options.curlOptions
    }

    private var options: ExportedOptions {
        var options = self.plan.exported
        // curl would wait for a body that is announced and does not come.
        if self.isWithoutBody { options.isChunked = false }
        return options
    }

    /// The fields that were taken back, and not set again.
    private var removedFields: [HTTPField.Name] {
        self.options.removedFields.filter { !self.plan.request.headers.contains($0) }
    }

    /// The body as a form, if it is one that has parts.
    private var form: ExportedForm? {
        guard case .multipart(let form) = self.plan.request.body, !form.parts.isEmpty else { return nil }
        return ExportedForm(form: form, items: self.options.data)
    }

    /// Whether Accept-Encoding is the program's own, and not one that a person has chosen.
    private var asksForBuiltInCodings: Bool {
        let own = TransportRequest.decodableCodings.joined(separator: ", ")
        return self.plan.request.headers[.acceptEncoding].map { $0.utf8.elementsEqual(own.utf8) } ?? false
    }

    /// The request without what each client adds by itself.
    private var sent: Request {
        var request = self.plan.request
        if self.asksForBuiltInCodings { request.headers[.acceptEncoding] = nil }
        if request.headers[.userAgent]?.starts(withScalars: "bluebonnet/") == true { request.headers[.userAgent] = nil }
        // They are sent in one field (RFC 6265 section 5.4).
        let cookies = request.headers[values: .cookie]
        if cookies.count > 1 {
            request.headers[fields: .cookie] = [HTTPField(name: .cookie, value: cookies.joined(separator: "; "))]
        }
        // No program makes a form without parts: it is an empty body, and the type stays with it.
        if case .multipart(let form) = request.body, form.parts.isEmpty { request.body = .data(Data()) }
        guard let form = self.form, let type = request.headers[.contentType] else { return request }
        // Each client has a boundary of its own, and adds it to a type that has none.
        let end = "; boundary=\(form.form.boundary)"
        let own =
            type.ends(withScalars: end)
            ? String(type.unicodeScalars.dropLast(end.unicodeScalars.count))
            : String(type.unicodeScalars.prefix { $0 != ";" })
        request.headers[.contentType] = own.isASCIIWord("multipart/form-data") ? nil : own
        return request
    }

    /// A command without control characters: no argument holds NUL, and others command the terminal that the text is shown on.
    private static func printable(_ command: String) throws(CommandFailure) -> String {
        let isPrintable = command.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\t" || !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
        }
        guard isPrintable else { throw Self.unprintable }
        return command
    }

    private func curl() throws(CommandFailure) -> String {
        var request = self.sent
        if case .stream = request.body { throw Self.streamed }
        // With -X, curl would wait for the body of the response.
        if request.method == .head, !self.options.isOfCurl, !self.isWithoutBody {
            throw .usage("curl sends no body with HEAD: leave out the items")
        }
        var options = ["curl"]
        // What the response is encoded with is decoded there only if this option is given, whatever the field says.
        if let codings = self.plan.request.headers[.acceptEncoding], !codings.isASCIIWord("identity") {
            options.append("--compressed")
        }
        let follows = self.plan.followsRedirects && self.follows(in: .curl)
        if follows {
            let maximum = self.plan.redirects.maximumCount
            options += ["--location", "--max-redirs", maximum == .max ? "-1" : "\(maximum)"]
            // A file of which the name is empty makes curl keep the cookies of responses.
            if self.options.keepsCookies { options += ["--cookie", "''"] }
        }
        if case .digest(let user, let password)? = self.plan.credentials {
            options += ["--digest", "--user", ShellWord.quoted("\(user):\(password)")]
        }
        if self.hasRetries, self.retries(in: .curl) {
            options += ["--retry", "\(self.plan.retries.maximumAttempts - 1)"]
        }
        options += self.options.curl.words
        for name in self.removedFields where name != .contentType || self.form != nil {
            options += ["-H", ShellWord.quoted("\(name.rawName):")]
        }
        var last: [String] = []
        if let form {
            guard request.method != .head else { throw .usage("curl sends no body with HEAD: leave out the items") }
            request.body = .none
            last = try form.curl()
            // A form makes the request a POST; a GET without a body is what cURL() has no words for.
            if request.method != .post { last += ["-X", ShellWord.quoted(request.method.rawValue)] }
            request.method = .get
        }
        if let uploadedFile {
            last += self.uploadWords(uploadedFile, for: &request)
        } else if follows {
            last += self.methodWords
        }
        let command = request.cURL(redacting: .none)
        let end = last.map { " " + $0 }.joined()
        // A body that is no text stands before the command, with a pipe.
        guard let range = command.unicodeScalars.firstRange(of: "curl ".unicodeScalars) else { return command + end }
        return command[..<range.lowerBound] + options.joined(separator: " ") + " " + command[range.upperBound...] + end
    }

    private func httpie() throws(CommandFailure) -> String {
        let request = self.sent
        // An entry of a netrc file would replace the Authorization field below.
        var words = ["http", "--ignore-stdin", "--ignore-netrc"]
        if self.plan.followsRedirects, self.follows(in: .httpie) {
            // HTTPie counts the requests, of which there is one more than redirects.
            let requestCount = min(self.plan.redirects.maximumCount, Int.max - 1) + 1
            words += ["--follow", "--max-redirects=\(requestCount)"]
        }
        if case .digest(let user, let password)? = self.plan.credentials {
            words += ["--auth-type=digest", ShellWord.quoted("--auth=\(user):\(password)")]
        }
        words += self.options.httpie.words
        var last: [String] = []
        switch request.body {
        case .none: break
        case .data(let data):
            guard let text = String(validating: data, as: UTF8.self) else { throw Self.unwritable }
            words.append(ShellWord.quoted("--raw=\(text)"))
        case .file(let url): last.append(ShellWord.quoted("@\(url.path(percentEncoded: false))"))
        case .multipart:
            words.append("--multipart")
            last += try self.form?.httpie() ?? []
        case .stream: throw Self.streamed
        }
        words += [ShellWord.quoted(request.method.rawValue), ShellWord.quoted(request.url.absoluteString)]
        var items: [String] = []
        for field in request.headers {
            let name = field.name.rawName
            let item = field.value.isEmpty ? "\(name);" : "\(name):\(try Self.escaped(field.value))"
            items.append(ShellWord.quoted(item))
        }
        var removed = self.removedFields
        // HTTPie would ask for codings, and a range is one of the body as it is.
        if request.headers.contains(.range), self.plan.request.headers[.acceptEncoding] == nil,
            !removed.contains(.acceptEncoding)
        {
            removed.append(.acceptEncoding)
        }
        // HTTPie would guess it from the name of the file.
        if case .file = request.body, !request.headers.contains(.contentType), !removed.contains(.contentType) {
            removed.append(.contentType)
        }
        items += removed.map { "\($0.rawName):" }.map(ShellWord.quoted) + last
        // An item that begins with a hyphen would be an option.
        if items.contains(where: { $0.starts(withScalars: "-") || $0.starts(withScalars: "'-") }) { words.append("--") }
        return (words + items).joined(separator: " ")
    }

    /// A value of which the first character would make another separator.
    static func escaped(_ value: String) throws(CommandFailure) -> String {
        try Self.checkBackslashes(value)
        return ["=", "@", ":"].contains { value.starts(withScalars: $0) } ? "\\" + value : value
    }

    /// Refuses a backslash before a separator: HTTPie takes it for an escape, and reads two of them as two.
    static func checkBackslashes(_ text: String) throws(CommandFailure) {
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape, ":;=@".unicodeScalars.contains(scalar) {
                throw .usage("a backslash before one of : ; = @ cannot be written for HTTPie: use --as curl")
            }
            isEscape = scalar == "\\" && !isEscape
        }
    }

    static let unwritable = CommandFailure.usage(
        "a body of bytes that are no text cannot be written as this command: use --as curl"
    )

    private static let unprintable = CommandFailure.usage(
        "the request holds control characters, which cannot be copied as a command: use --as swift"
    )

    static let streamed = CommandFailure.usage(
        "a body that is read as it arrives cannot be exported: save it to a file and give @FILE"
    )
}
