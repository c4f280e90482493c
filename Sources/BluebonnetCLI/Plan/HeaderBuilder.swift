// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import HTTPTypes

/// Builds the header fields of a request.
///
/// First the command's own, in a fixed order, where an item does not replace or remove them; then those of the items.
struct HeaderBuilder {
    /// The body, which knows its media type.
    var body: PlannedBody

    /// Whether the response may come compressed.
    var acceptsCompression: Bool

    /// The value of Authorization, if credentials were given.
    var authorization: String?

    /// The fields of the session, which give way to those of the items.
    var stored: [RequestItems.Header] = []

    /// The fields in the order in which they are sent.
    ///
    /// - Parameters:
    ///   - items: The items of the command line.
    ///   - serialized: The fields that a request serializer has set.
    /// - Returns: The fields.
    func fields(items: RequestItems, serialized: HTTPFields) -> HTTPFields {
        var fields = HTTPFields()
        let stored = self.stored.filter { field in !items.headers.contains { $0.name == field.name } }
        let chosen = Set((items.headers + stored).map(\.name))
        func add(_ name: HTTPField.Name, _ value: String?) {
            if let value, !chosen.contains(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        add(.userAgent, "bluebonnet/\(CommandLineTool.version)")
        add(.accept, self.body.accept)
        add(.acceptEncoding, self.acceptsCompression ? TransportRequest.decodableCodings.joined(separator: ", ") : nil)
        add(.authorization, self.authorization)
        add(.contentType, serialized[.contentType] ?? self.body.mediaType)
        if let coding = self.body.contentCoding { add(.contentEncoding, coding) }
        for header in stored + items.headers {
            guard var value = header.value else {
                // `Name:` takes back the items before it, too.
                fields[fields: header.name] = []
                continue
            }
            // A form without its boundary cannot be read: it is added where a type was given without one.
            if header.name == .contentType, let boundary = self.body.boundary,
                value.asciiLowercased.starts(withScalars: "multipart/"),
                !value.asciiLowercased.contains("boundary=")
            {
                value += "; boundary=\(boundary)"
            }
            fields.append(HTTPField(name: header.name, value: value))
        }
        return fields
    }
}
