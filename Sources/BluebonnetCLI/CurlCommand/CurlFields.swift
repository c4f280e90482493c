// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport

/// The header fields of a command of curl.
///
/// A field that a person writes replaces the one that another option or curl itself would add.
struct CurlFields: Sendable {
    /// What is sent in place of Accept.
    var isJSON = false

    /// The value of `--user-agent`.
    var userAgent: String?

    /// The value of `--referer`.
    var referer: String?

    /// The cookies of `--cookie`.
    var cookie: String?

    /// The ranges of `--range`, without their unit.
    var range: String?

    /// What `--time-cond` asks for.
    var timeCondition: CurlTimeCondition?

    /// The fields of `--header`; the value is empty where none is sent, or an empty one.
    private var written: [(name: String, value: String, item: String, isSent: Bool)] = []

    /// Adds a field as `--header` has it.
    ///
    /// - Parameter text: `Name: value`, `Name:` for a field not to be sent, or `Name;` for an empty one.
    /// - Throws: `CommandFailure` if it is no field.
    mutating func add(_ text: String) throws(CommandFailure) {
        if text.ends(withScalars: ";"), !text.contains(scalar: ":") {
            let name = String(text.unicodeScalars.dropLast())
            self.written.append((name, "", "\(Self.escaped(name));", true))
            return
        }
        guard let (name, value) = text.split(atScalar: ":") else { throw .usage("“\(text)” is no header of curl’s") }
        var text = String(value.trimmingBlanks)
        if name.isASCIIWord("accept-encoding"), !text.isEmpty { text = Self.decodable(text) }
        self.written.append((String(name), text, Self.item(String(name), text), !text.isEmpty))
    }

    /// Whether a field was written, or taken back; its name is given in lower case.
    func contains(_ name: String) -> Bool { self.written.contains { $0.name.asciiLowercased == name } }

    /// Whether a field was taken back, and not written; its name is given in lower case.
    func removes(_ name: String) -> Bool {
        self.contains(name) && !self.written.contains { $0.isSent && $0.name.asciiLowercased == name }
    }

    /// Removes the Accept-Encoding fields that were written.
    mutating func dropAcceptEncoding() { self.written.removeAll { $0.name.isASCIIWord("accept-encoding") } }

    /// Removes the Cookie fields that were written.
    ///
    /// - Returns: Their values, none for one that was taken back; nil if there was no such field.
    mutating func takeCookies() -> [String]? {
        guard self.contains("cookie") else { return nil }
        let taken = self.written.filter { $0.name.isASCIIWord("cookie") }
        self.written.removeAll { $0.name.isASCIIWord("cookie") }
        return taken.map(\.value).filter { !$0.isEmpty }
    }

    /// The names, in lower case, of the fields that follow from other options than `--header`, `--user-agent` and
    /// `--cookie`, or from curl itself.
    var derived: Set<String> {
        Set(self.others(mediaType: nil).map(\.name.asciiLowercased)).subtracting(["user-agent", "cookie"])
    }

    /// Whether Accept is the one that curl sends unless it is told otherwise.
    var hasDefaultAccept: Bool { !self.isJSON && !self.contains("accept") }

    /// The fields as items.
    ///
    /// - Parameter mediaType: The Content-Type, if there is a body that curl gives one to.
    /// - Returns: The items, in the order in which they are sent.
    func items(mediaType: String?) -> [String] {
        let items = self.others(mediaType: mediaType).map { Self.item($0.name, $0.value) }
        // `Name:` leaves out the field that curl would add, and none that is written.
        let sent = Set(self.written.filter(\.isSent).map { $0.name.asciiLowercased })
        return items + self.written.filter { $0.isSent || !sent.contains($0.name.asciiLowercased) }.map(\.item)
    }

    /// The fields that nobody has written with `--header`, nor taken back.
    private func others(mediaType: String?) -> [(name: String, value: String)] {
        let mediaType = self.isJSON ? "application/json" : mediaType
        var others: [(name: String, value: String?)] = [
            ("User-Agent", self.userAgent), ("Accept", self.isJSON ? "application/json" : "*/*"),
            ("Referer", self.referer), ("Range", self.range.map { "bytes=\($0)" }), ("Cookie", self.cookie),
            ("Content-Type", mediaType),
        ]
        if let condition = self.timeCondition { others.append((condition.name, condition.value)) }
        return others.compactMap { name, value in
            guard let value, !self.contains(name.asciiLowercased) else { return nil }
            return (name, value)
        }
    }

    /// The codings of an Accept-Encoding that can be decoded here; a browser, whose field is pasted, knows more of them.
    private static func decodable(_ value: String) -> String {
        let known = TransportRequest.decodableCodings + ["identity", "x-gzip"]
        let elements = value.unicodeScalars.split(separator: ",").map { Substring($0).trimmingBlanks }.filter {
            element in
            let coding = element.split(atScalar: ";").map(\.before) ?? element
            return known.contains(coding.trimmingBlanks.asciiLowercased)
        }
        return elements.isEmpty ? "identity" : elements.joined(separator: ", ")
    }

    private static func item(_ name: String, _ value: String) -> String {
        "\(Self.escaped(name)):\(Self.escaped(value))"
    }

    /// A text in which separators are ordinary characters.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if ":;=@".unicodeScalars.contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}
