// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetTransport
import HTTPTypes

/// A formatter for the heads of requests and responses.
struct HeadPrinter {
    /// The formatting of the output.
    var style: OutputStyle

    /// Formats the head of a request.
    ///
    /// - Parameter wire: The head in the syntax of HTTP/1.1, including the empty line.
    /// - Returns: The same bytes, or a formatted head.
    func request(_ wire: [UInt8]) -> [UInt8] {
        if self.style.isPlain { return wire }
        var lines = wire.split { $0 == 0x0D || $0 == 0x0A }.map { Substring(decoding: $0, as: UTF8.self) }[...]
        var text = ""
        if let first = lines.popFirst() {
            let words = first.unicodeScalars.split(separator: " ", maxSplits: 2).map {
                TerminalText.escapedLine(Substring($0))
            }
            let roles: [Palette.Role] = [.method, .target, .version]
            text += zip(words, roles).map { self.style.palette.paint($0, $1) }.joined(separator: " ") + "\n"
        }
        if self.style.details.sortsHeaders { lines = Self.sorted(lines) { $0 }[...] }
        for line in lines {
            let parts = line.split(atScalar: ":") ?? (line, "")
            text += self.field(name: String(parts.before), value: String(parts.after.trimmingBlanks))
        }
        return Array((text + "\n").utf8)
    }

    /// Formats the head of a response in the syntax of HTTP/1.1, with the actual version and the server's fields.
    func response(_ status: HTTPResponse.Status, _ headers: HTTPFields, _ metrics: ExchangeMetrics) -> [UInt8] {
        let reason = status.reasonPhrase.isEmpty ? "" : " " + status.reasonPhrase
        let name = (metrics.httpVersion ?? .http11).rawValue
        let headers = metrics.receivedHeaders ?? headers
        let fields =
            self.style.details.sortsHeaders ? Self.sorted(headers) { Substring($0.name.rawName) } : Array(headers)
        if self.style.isPlain {
            var bytes = Array("\(name) \(status.code)\(reason)\r\n".utf8)
            for field in fields {
                bytes += Array("\(field.name.rawName): ".utf8)
                field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
                bytes += [0x0D, 0x0A]
            }
            return bytes + [0x0D, 0x0A]
        }
        let palette = self.style.palette
        let words = palette.paint("\(status.code)\(TerminalText.escapedLine(reason))", Self.role(of: status.code))
        var text = palette.paint(name, .version) + " " + words + "\n"
        for field in fields { text += self.field(name: field.name.rawName, value: field.value) }
        return Array((text + "\n").utf8)
    }

    /// Returns the fields sorted by name; the order of equal names is significant and kept (RFC 9110 section 5.3).
    private static func sorted<Field>(_ fields: some Sequence<Field>, _ name: (Field) -> Substring) -> [Field] {
        fields.enumerated()
            .map { (name: (name($0.element).split(atScalar: ":")?.before ?? name($0.element)).asciiLowercased, $0) }
            .sorted { ($0.name, $0.1.offset) < ($1.name, $1.1.offset) }
            .map(\.1.element)
    }

    private func field(name: String, value: String) -> String {
        let name = self.style.palette.paint(TerminalText.escapedLine(name), .fieldName)
        return "\(name): \(TerminalText.escapedLine(value))\n"
    }

    private static func role(of code: Int) -> Palette.Role {
        switch code {
        case 200..<300: .success
        case 300..<400: .redirection
        case 400...: .failure
        default: .version
        }
    }
}
