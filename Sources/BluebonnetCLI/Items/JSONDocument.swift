// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// A JSON document that is built from the items of a command line.
enum JSONDocument {
    /// Inserts values at their paths, in order, and creates the objects and arrays that contain them.
    ///
    /// An existing key gets the new value. Array positions that are skipped become null.
    ///
    /// - Parameter values: Paths and values; an empty list makes an empty object.
    /// - Returns: The document.
    /// - Throws: `CommandFailure` if an existing value on a path has another type.
    static func make(
        of values: [(path: KeyPath, value: JSONValue)]
    ) throws(CommandFailure) -> JSONValue {
        var document: JSONValue?
        for (path, value) in values {
            try Self.insert(value, at: path, depth: 0, into: &document)
        }
        return document ?? .object(JSONObject())
    }

    /// Inserts a value into a part of the document, which may not exist yet.
    ///
    /// A part is taken out of its container while it changes, so that its storage has one reference and is not copied.
    /// After an error the document is incomplete.
    private static func insert(
        _ value: JSONValue,
        at path: KeyPath,
        depth: Int,
        into part: inout JSONValue?
    ) throws(CommandFailure) {
        guard depth < path.steps.count else {
            part = value
            return
        }
        switch path.steps[depth] {
        case .key(let key):
            var members = try Self.takeMembers(of: &part, path, depth)
            var member = members[key]
            if member != nil { members[key] = JSONValue.null }
            try Self.insert(value, at: path, depth: depth + 1, into: &member)
            members[key] = member
            part = .object(members)
        case .append:
            var elements = try Self.takeElements(of: &part, path, depth)
            var element: JSONValue?
            try Self.insert(value, at: path, depth: depth + 1, into: &element)
            elements.append(element ?? .null)
            part = .array(elements)
        case .index(let index):
            var elements = try Self.takeElements(of: &part, path, depth)
            while elements.count <= index { elements.append(.null) }
            // Not `nil`, which is a JSON null.
            var element = elements[index] == .null ? JSONValue?.none : elements[index]
            elements[index] = .null
            try Self.insert(value, at: path, depth: depth + 1, into: &element)
            elements[index] = element ?? .null
            part = .array(elements)
        }
    }

    /// Takes the members out of an object; there are none in a part that does not exist.
    private static func takeMembers(
        of part: inout JSONValue?,
        _ path: KeyPath,
        _ depth: Int
    ) throws(CommandFailure) -> JSONObject {
        switch part.take() {
        case nil: return JSONObject()
        case .object(let members)?: return members
        case let other?: throw Self.mismatch(other, needed: "an object", path, depth)
        }
    }

    /// Takes the elements out of an array; there are none in a part that does not exist.
    private static func takeElements(
        of part: inout JSONValue?,
        _ path: KeyPath,
        _ depth: Int
    ) throws(CommandFailure) -> [JSONValue] {
        switch part.take() {
        case nil: return []
        case .array(let elements)?: return elements
        case let other?: throw Self.mismatch(other, needed: "an array", path, depth)
        }
    }

    private static func mismatch(_ part: JSONValue?, needed: String, _ path: KeyPath, _ depth: Int) -> CommandFailure {
        let place = depth == 0 ? "the document" : "“\(path.description(through: depth))”"
        let whole = path.description(through: path.steps.count)
        return .usage("“\(whole)” needs \(place) to be \(needed), and an item before it made it \(Self.typeName(part))")
    }

    private static func typeName(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Parses a JSON text from the user.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - origin: The place of the text, for example `age:=29` or “data.json”.
    /// - Returns: The value.
    /// - Throws: `CommandFailure` with the line and column of the error, and for a duplicate key in an object.
    static func parse(_ text: [UInt8], from origin: String) throws(CommandFailure) -> JSONValue {
        let value: JSONValue
        do throws(SerializationError) {
            value = try JSONValue(parsing: text.data)
        } catch {
            guard let fault = error.underlying as? JSONSyntaxError else {
                throw .usage("\(origin) is not JSON that can be read: \(error.reason)")
            }
            throw .usage(
                "\(origin) is not valid JSON at line \(fault.line), column \(fault.column): \(fault.reason)\(Self.hint(text, origin))"
            )
        }
        if let key = JSONKeyScan.repeatedKey(in: text) {
            throw .usage(
                "\(origin) has the key “\(key)” twice in one object, of which only one would be kept: remove one of them (--raw sends a document as it is)"
            )
        }
        return value
    }

    /// Returns a hint for unquoted text, a frequent mistake: a string was meant, and the shell removed the quotes.
    private static func hint(_ text: [UInt8], _ origin: String) -> String {
        let first = text.first { $0 > 0x20 } ?? 0x22
        let isWord = first.isASCIILetter
        return isWord && origin.contains(":=") ? "; for text write “=” in place of “:=”" : ""
    }
}
