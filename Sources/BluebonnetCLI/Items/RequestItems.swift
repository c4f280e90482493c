// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes

/// The items of a command line, grouped by the part of the request that they belong to; files are read or checked.
struct RequestItems: Sendable {
    /// A header field to set, to send empty or to remove.
    struct Header: Equatable, Sendable {
        var name: HTTPField.Name
        /// The value; nil to remove the field.
        var value: String?
    }

    /// A value of the body, in the order of the command line.
    struct DataItem: Equatable, Sendable {
        /// The content of the value.
        enum Content: Equatable, Sendable {
            case text(String)
            /// JSON text, and its origin for error messages.
            case json([UInt8], origin: String)
            case file(path: String, mediaType: String?)
        }

        var name: String
        var content: Content
    }

    /// The largest number of header items, which is more than servers accept.
    static let headerLimit = 1000

    /// The header fields, in order.
    private(set) var headers: [Header] = []

    /// The query parameters, in order.
    private(set) var query: [(name: String, value: String)] = []

    /// The values of the body, in order.
    private(set) var data: [DataItem] = []

    /// Parses and groups items.
    ///
    /// - Parameters:
    ///   - texts: The items as they were typed.
    ///   - home: The folder that `~` stands for.
    /// - Throws: `CommandFailure` for the first item that is invalid.
    init(_ texts: [String], home: String?) throws(CommandFailure) {
        for text in texts {
            var item = try ItemParser.parse(text)
            if item.kind.rawValue.utf8.last == UInt8(ascii: "@") {
                item.value = LocalFile.expanded(item.value, home: home)
            }
            try self.add(item)
        }
        guard self.headers.count <= Self.headerLimit else {
            throw .usage("there are more than \(Self.headerLimit) header items")
        }
    }

    private mutating func add(_ item: RequestItem) throws(CommandFailure) {
        switch item.kind {
        case .header: try self.addHeader(item, value: item.value.trimmingBlanks.isEmpty ? nil : item.value)
        case .emptyHeader: try self.addHeader(item, value: "")
        case .headerFile: try self.addHeader(item, value: Self.withoutLineEnd(try LocalFile.text(item.value)))
        case .query: self.query.append((item.name, item.value))
        case .queryFile: self.query.append((item.name, Self.withoutLineEnd(try LocalFile.text(item.value))))
        case .field: self.data.append(DataItem(name: item.name, content: .text(item.value)))
        case .fieldFile:
            self.data.append(DataItem(name: item.name, content: .text(try LocalFile.text(item.value, isField: true))))
        case .json:
            let content = DataItem.Content.json(Array(item.value.utf8), origin: "the value of “\(item.text)”")
            self.data.append(DataItem(name: item.name, content: content))
        case .jsonFile:
            let content = DataItem.Content.json(try LocalFile.bytes(item.value), origin: "“\(item.value)”")
            self.data.append(DataItem(name: item.name, content: content))
        case .upload:
            try LocalFile.check(item.value)
            let content = DataItem.Content.file(path: item.value, mediaType: item.mediaType)
            self.data.append(DataItem(name: item.name, content: content))
        }
    }

    /// Removes and returns the header fields of a name.
    mutating func takeHeaders(named name: HTTPField.Name) -> [Header] {
        defer { self.headers.removeAll { $0.name == name } }
        return self.headers.filter { $0.name == name }
    }

    private mutating func addHeader(_ item: RequestItem, value: String?) throws(CommandFailure) {
        guard let name = HTTPField.Name(item.name), !item.name.starts(withScalars: ":") else {
            throw .usage(
                "“\(item.name)” in “\(item.text)” is not a header name: use letters, digits and hyphens, without spaces"
            )
        }
        try Self.check(name, item.name, isRemoved: value == nil)
        // RFC 9112 section 5: leading and trailing white space is not part of a field value.
        let value = value.map { String($0.trimmingBlanks) }
        if let value, !HTTPField.isValidValue(value.utf8) {
            throw .usage(
                "the value of header “\(item.name)” holds a line break or another control character, which may not be sent: remove it"
            )
        }
        self.headers.append(Header(name: name, value: value))
    }

    /// Refuses what the engine would drop, or send in spite of its removal.
    private static func check(
        _ name: HTTPField.Name,
        _ text: String,
        isRemoved: Bool
    ) throws(CommandFailure) {
        if name == .contentLength || name == .transferEncoding {
            throw .usage("\(text) follows from the body and cannot be set: leave it out")
        }
        if isRemoved, name.canonicalName == "host" {
            throw .usage("a request needs a \(text) field, which cannot be removed: leave the item out")
        }
        if name == .proxyAuthorization {
            throw .usage(
                "\(text) is sent to proxies alone: write user and password into the URL of --proxy, before the host and an “@”"
            )
        }
        if name.isForProxy, !isRemoved { throw .usage("\(text) is for a proxy, and is never sent: leave it out") }
    }

    /// Removes the line feed that editors add at the end of a file, which a header or a query must not contain.
    private static func withoutLineEnd(_ text: String) -> String {
        guard text.ends(withScalars: "\n") else { return text }
        let line = text.unicodeScalars.dropLast()
        // Characters: these are scalars.
        return String(line.last == "\r" ? line.dropLast() : line)
    }
}
