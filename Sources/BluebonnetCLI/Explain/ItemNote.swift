// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A description of what an item of the command line adds to a request.
enum ItemNote {
    /// Returns the descriptions of items.
    ///
    /// - Throws: `CommandFailure` for an invalid item.
    static func texts(_ items: [String]) throws(CommandFailure) -> [String] {
        var texts: [String] = []
        for item in items { texts.append(Self.text(try ItemParser.parse(item))) }
        return texts
    }

    private static func text(_ item: RequestItem) -> String {
        let meaning =
            switch item.kind {
            case .header: item.value.trimmingBlanks.isEmpty ? "no header “\(item.name)”" : "the header “\(item.name)”"
            case .emptyHeader: "the header “\(item.name)”, empty"
            case .headerFile: "the header “\(item.name)”, from the file “\(item.value)”"
            case .query: "the query parameter “\(item.name)”"
            case .queryFile: "the query parameter “\(item.name)”, from the file “\(item.value)”"
            case .field: "the text “\(item.name)” of the body"
            case .fieldFile: "the text “\(item.name)” of the body, from the file “\(item.value)”"
            case .json: "the JSON “\(item.name)” of the body"
            case .jsonFile: "the JSON “\(item.name)” of the body, from the file “\(item.value)”"
            case .upload:
                item.name.isEmpty
                    ? "the whole body, the file “\(item.value)”" : "the file “\(item.value)” in the part “\(item.name)”"
            }
        return "\(item.text)  \(meaning)"
    }
}
