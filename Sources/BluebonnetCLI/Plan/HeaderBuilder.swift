// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import HTTPTypes

/// A builder for the header fields of a request.
///
/// The command's own fields come first, in a fixed order, unless an item replaces or removes them.
struct HeaderBuilder {
    /// The body, which determines the Content-Type.
    var body: PlannedBody

    /// Whether a compressed response is accepted, unless a range is requested.
    var acceptsCompression: Bool

    /// The value of Authorization, if credentials were given.
    var authorization: String?

    /// The fields of the session file, which items override.
    var stored: [RequestItems.Header] = []

    /// Returns the fields in the order in which they are sent.
    ///
    /// - Parameters:
    ///   - items: The items of the command line.
    ///   - serialized: The fields from a request serializer.
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
        // A part of an encoded body could not be decoded (RFC 9110 section 14.2).
        let requestsRange = (stored + items.headers).last { $0.name == .range }?.value != nil
        let codings = TransportRequest.decodableCodings.joined(separator: ", ")
        add(.acceptEncoding, self.acceptsCompression && !requestsRange ? codings : nil)
        add(.authorization, self.authorization)
        add(.contentType, serialized[.contentType] ?? self.body.mediaType)
        if let coding = self.body.contentCoding { add(.contentEncoding, coding) }
        for header in stored + items.headers {
            guard var value = header.value else {
                // `Name:` also removes the fields of earlier items.
                fields[fields: header.name] = []
                continue
            }
            // A form cannot be parsed without its boundary, which is added to a media type that was given without one.
            if header.name == .contentType, let boundary = self.body.boundary,
                !value.asciiLowercased.contains("boundary=")
            {
                value += "; boundary=\(boundary)"
            }
            fields.append(HTTPField(name: header.name, value: value))
        }
        return fields
    }
}
