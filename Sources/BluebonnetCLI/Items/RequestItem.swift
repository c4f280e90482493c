// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// One `name=value` of the command line, parsed but not yet added to the request.
struct RequestItem: Equatable, Sendable {
    /// What an item adds to the request, and how it is written.
    enum Kind: String, Sendable, CaseIterable {
        /// `Name:value`; without a value, the field is not sent.
        case header = ":"
        /// `Name;`: a field with an empty value.
        case emptyHeader = ";"
        /// `Name:@path`: a field whose value is in a file.
        case headerFile = ":@"
        /// `name==value`: a query parameter.
        case query = "=="
        /// `name==@path`: a query parameter whose value is in a file.
        case queryFile = "==@"
        /// `name=value`: a text of the body.
        case field = "="
        /// `name=@path`: a text of the body that is in a file.
        case fieldFile = "=@"
        /// `name:=json`: a JSON value of the body.
        case json = ":="
        /// `name:=@path`: a JSON value of the body that is in a file.
        case jsonFile = ":=@"
        /// `name@path`: a file to upload; without a name, the file is the whole body.
        case upload = "@"

        /// Whether the item is part of a body.
        var isData: Bool {
            switch self {
            case .field, .fieldFile, .json, .jsonFile, .upload: true
            case .header, .emptyHeader, .headerFile, .query, .queryFile: false
            }
        }
    }

    /// What it adds.
    var kind: Kind

    /// What stands before the separator, without the escapes that concern separators.
    var name: String

    /// What stands after the separator.
    var value: String

    /// The media type of an upload, if `;type=` gave one.
    var mediaType: String?

    /// The item as it was typed, for errors.
    var text: String
}
