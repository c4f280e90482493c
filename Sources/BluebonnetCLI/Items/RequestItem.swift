// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An item of the command line, parsed but not yet added to the request.
struct RequestItem: Equatable, Sendable {
    /// The kind of an item; the raw value is its separator.
    enum Kind: String, Sendable, CaseIterable {
        /// `Name:value`: a header field; without a value, the field is not sent.
        case header = ":"
        /// `Name;`: a header field with an empty value.
        case emptyHeader = ";"
        /// `Name:@path`: a header field whose value is read from a file.
        case headerFile = ":@"
        /// `name==value`: a query parameter.
        case query = "=="
        /// `name==@path`: a query parameter whose value is read from a file.
        case queryFile = "==@"
        /// `name=value`: a text value of the body.
        case field = "="
        /// `name=@path`: a text value of the body that is read from a file.
        case fieldFile = "=@"
        /// `name:=json`: a JSON value of the body.
        case json = ":="
        /// `name:=@path`: a JSON value of the body that is read from a file.
        case jsonFile = ":=@"
        /// `name@path`: a file to upload; without a name, the file is the whole body.
        case upload = "@"
    }

    /// The kind of the item.
    var kind: Kind

    /// The text before the separator, with escaped separators unescaped.
    var name: String

    /// The text after the separator.
    var value: String

    /// The media type of an upload, from `;type=`.
    var mediaType: String?

    /// The item as it was typed, for error messages.
    var text: String
}
