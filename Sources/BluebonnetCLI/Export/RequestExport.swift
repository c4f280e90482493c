// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// Writes a request for another program: `--as`.
struct RequestExport {
    let plan: RequestPlan

    /// The text, with a line end.
    ///
    /// - Throws: `CommandFailure` for a body that cannot be written down.
    func text(_ form: ExportForm) throws(CommandFailure) -> String {
        switch form {
        case .curl: self.curl() + "\n"
        case .httpie: try self.httpie() + "\n"
        case .swift: try SwiftExport(request: self.sent, follows: self.plan.followsRedirects).text()
        }
    }

    /// The request without what each client adds by itself.
    private var sent: Request {
        var request = self.plan.request
        request.headers[.acceptEncoding] = nil
        if request.headers[.userAgent]?.starts(withScalars: "bluebonnet/") == true { request.headers[.userAgent] = nil }
        return request
    }

    private func curl() -> String {
        var options = ["curl"]
        if self.plan.request.headers.contains(.acceptEncoding) { options.append("--compressed") }
        if self.plan.followsRedirects {
            options += ["--location", "--max-redirs", "\(self.plan.redirects.maximumCount)"]
        }
        if case .digest(let user, let password)? = self.plan.credentials {
            options += ["--digest", "--user", ShellWord.quoted("\(user):\(password)")]
        }
        if self.plan.retries.maximumAttempts > 1 { options += ["--retry", "\(self.plan.retries.maximumAttempts - 1)"] }
        let command = self.sent.cURL(redacting: .none)
        // A body that is no text stands before the command, with a pipe.
        guard let range = command.unicodeScalars.firstRange(of: "curl ".unicodeScalars) else { return command }
        return command[..<range.lowerBound] + options.joined(separator: " ") + " " + command[range.upperBound...]
    }

    private func httpie() throws(CommandFailure) -> String {
        let request = self.sent
        var words = ["http", "--ignore-stdin"]
        if self.plan.followsRedirects { words += ["--follow", "--max-redirects=\(self.plan.redirects.maximumCount)"] }
        if case .digest(let user, let password)? = self.plan.credentials {
            words += ["--auth-type=digest", ShellWord.quoted("--auth=\(user):\(password)")]
        }
        var last: [String] = []
        switch request.body {
        case .none: break
        case .data(let data):
            guard let text = String(validating: data, as: UTF8.self) else { throw Self.unwritable }
            words.append(ShellWord.quoted("--raw=\(text)"))
        case .file(let url): last.append(ShellWord.quoted("@\(url.path(percentEncoded: false))"))
        default: throw Self.unwritable
        }
        words += [request.method.rawValue, ShellWord.quoted(request.url.absoluteString)]
        for field in request.headers {
            let item =
                field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName):\(Self.escaped(field.value))"
            words.append(ShellWord.quoted(item))
        }
        return (words + last).joined(separator: " ")
    }

    /// A value of which the first character would make another separator.
    private static func escaped(_ value: String) -> String {
        ["=", "@", ":"].contains { value.starts(withScalars: $0) } ? "\\" + value : value
    }

    static let unwritable = CommandFailure.usage(
        "a body of parts, of a stream or of bytes that are no text cannot be written as this command: use --as curl"
    )
}
