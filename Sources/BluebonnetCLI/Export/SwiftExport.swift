// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// Writes a request as a Swift program that sends it with this library: the file main.swift, whose code stands at its top level.
struct SwiftExport {
    let request: Request
    let plan: RequestPlan
    /// The body as a form, if it is one.
    let form: ExportedForm?
    let followsRedirects: Bool

    /// The program; it compiles as it stands where the package is a dependency.
    ///
    /// Of several requests each has a scope of its own, and the first one the imports.
    ///
    /// - Throws: `CommandFailure` for a body that cannot be exported.
    func text() throws(CommandFailure) -> String {
        let imports = ["import Bluebonnet", "import Foundation", "import HTTPTypes", ""]
        let statements = try self.statements
        let lines =
            switch self.plan.exported.position {
            case nil: imports + statements
            case let position?:
                (position == 0 ? imports : []) + ["do {"] + statements.map { "    \($0)" } + ["}"]
            }
        return lines.map { "\($0)\n" }.joined()
    }

    /// The lines that send the request and write its response as the command does: the body as it is, whatever the status.
    private var statements: [String] {
        get throws(CommandFailure) { try self.requestLines + Self.responseLines }
    }

    private static let responseLines = [
        "let response = try await session.response(for: request)",
        #"try FileHandle.standardError.write(contentsOf: Data("\(response.status)\n".utf8))"#,
        "try FileHandle.standardOutput.write(contentsOf: response.body)",
        "await session.shutdown()",
    ]

    private var requestLines: [String] {
        get throws(CommandFailure) {
            var lines: [String] = []
            let configuration = self.configuration
            if !configuration.isEmpty { lines += ["var configuration = Session.Configuration()"] + configuration }
            lines += [
                "let session = Session(\(configuration.isEmpty ? "" : "configuration: configuration"))",
                // The texts have been checked by the command line, so that the program may force what it makes of them.
                "var request = Request(method: \(self.method), url: URL(string: \(Self.literal(self.request.url.absoluteString)))!)",
            ]
            for field in self.request.headers where self.form == nil || field.name != .contentType {
                lines.append(
                    "request.headers.append(HTTPField(name: \(Self.name(field.name)), value: \(Self.literal(field.value))))"
                )
            }
            if let form {
                lines += try form.swift(type: self.request.headers[.contentType])
            } else if let body = try self.body {
                lines.append("request.body = \(body)")
            }
            if case .digest(let user, let password)? = self.plan.credentials {
                lines.append("request.authentication = .digest(\(Self.literal(user)), \(Self.literal(password)))")
            }
            if let seconds = self.plan.exported.maxTime, seconds > 0 {
                lines.append("request.options.totalTimeout = .seconds(\(seconds))")
            }
            return lines
        }
    }

    /// The lines that change the configuration of the session.
    private var configuration: [String] {
        guard self.followsRedirects else { return ["configuration.redirects = .none"] }
        let maximum = self.plan.redirects.maximumCount
        return
            (maximum == RedirectPolicy.follow().maximumCount
            ? [] : ["configuration.redirects = .follow(maximum: \(maximum == .max ? ".max" : "\(maximum)"))"])
            + (self.plan.exported.keepsCookies ? ["configuration.cookies = CookieJar()"] : [])
    }

    private var method: String {
        switch self.request.method {
        case .get, .head, .post, .put, .patch, .delete, .options: "." + self.request.method.rawValue.asciiLowercased
        default: ".init(\(Self.literal(self.request.method.rawValue)))!"
        }
    }

    private var body: String? {
        get throws(CommandFailure) {
            switch self.request.body {
            case .none: return nil
            case .file(let url): return ".file(URL(filePath: \(Self.literal(url.path(percentEncoded: false)))))"
            case .data(let data):
                guard let text = String(validating: data, as: UTF8.self) else { throw RequestExport.unwritable }
                return ".data(Data(\(Self.literal(text)).utf8))"
            case .multipart, .stream: throw RequestExport.streamed
            }
        }
    }

    private static func name(_ name: HTTPField.Name) -> String {
        switch name {
        case .accept: ".accept"
        case .authorization: ".authorization"
        case .contentType: ".contentType"
        case .userAgent: ".userAgent"
        default: ".init(\(Self.literal(name.rawName)))!"
        }
    }

    /// A literal of Swift for any text.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where TerminalText.isUnsafe(scalar): literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
