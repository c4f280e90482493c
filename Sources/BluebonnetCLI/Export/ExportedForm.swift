// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// A multipart form in the words of other programs.
struct ExportedForm {
    /// The form; its parts are those of the items, one by one.
    let form: MultipartFormData
    let items: [RequestItems.DataItem]

    /// The words of `curl`.
    ///
    /// - Throws: `CommandFailure` for a name that its options cannot hold.
    func curl() throws(CommandFailure) -> [String] {
        var words: [String] = []
        for (item, part) in zip(self.items, self.form.parts) {
            guard !item.name.contains(scalar: "=") else {
                throw .usage("the name “\(item.name)” has an equals sign, which a form of curl cannot hold")
            }
            guard case .file(let path, _) = item.content else {
                words += ["--form-string", ShellWord.quoted("\(item.name)=\(try item.formText())")]
                continue
            }
            // A hyphen alone is standard input.
            var word = "\(item.name)=@\(Self.curlPath(path == "-" ? "./-" : path))"
            if let type = part.headers.first(where: { $0.name == "Content-Type" }) { word += ";type=\(type.value)" }
            words += ["-F", ShellWord.quoted(word)]
        }
        return words
    }

    /// The items of HTTPie.
    ///
    /// - Throws: `CommandFailure` for an item that is no text, or that HTTPie would read as another.
    func httpie() throws(CommandFailure) -> [String] {
        var words: [String] = []
        for item in self.items {
            let name = try Self.httpieName(item.name)
            if case .file(let path, let mediaType) = item.content {
                // HTTPie would expand a “~”.
                let type = mediaType.map { ";type=\($0)" } ?? ""
                words.append(ShellWord.quoted("\(name)@\(LiteralPath.text(path))\(type)"))
            } else {
                words.append(ShellWord.quoted("\(name)=\(try RequestExport.escaped(try item.formText()))"))
            }
        }
        return words
    }

    /// Lines of Swift that make the form.
    ///
    /// - Parameter type: The type that the command gives the form; nil for that of a form.
    /// - Returns: The lines.
    /// - Throws: `CommandFailure` for an item that is no text.
    func swift(type: String?) throws(CommandFailure) -> [String] {
        var lines = ["var form = MultipartFormData()"]
        for (item, part) in zip(self.items, self.form.parts) {
            let name = SwiftExport.literal(item.name)
            guard case .file(let path, _) = item.content else {
                let text = SwiftExport.literal(try item.formText())
                lines.append("form.append(Data(\(text).utf8), name: \(name))")
                continue
            }
            let type = part.headers.first { $0.name == "Content-Type" }.map {
                ", contentType: \(SwiftExport.literal($0.value))"
            }
            let file = "URL(filePath: \(SwiftExport.literal(LiteralPath.text(path))))"
            lines.append("try form.append(file: \(file), name: \(name)\(type ?? ""))")
        }
        let value = type.map { SwiftExport.literal("\($0); boundary=") + " + form.boundary" } ?? "form.contentType"
        return lines + ["request.headers[.contentType] = \(value)", "request.body = .multipart(form)"]
    }

    /// A path in quotes where curl would read on.
    private static func curlPath(_ path: String) -> String {
        guard path.utf8.contains(where: { ";,\"\\ ".utf8.contains($0) }) else { return path }
        var quoted = "\"".unicodeScalars
        for scalar in path.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return String(quoted) + "\""
    }

    /// A name whose separators are escaped.
    private static func httpieName(_ name: String) throws(CommandFailure) -> String {
        try RequestExport.checkBackslashes(name + "=")
        return name.unicodeScalars.map { ":;=@".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
