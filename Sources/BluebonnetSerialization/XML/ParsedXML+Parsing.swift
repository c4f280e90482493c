// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension ParsedXML {
    /// Parses a document.
    ///
    /// It must be well-formed, including names and namespaces; nothing is repaired. External entities are never loaded,
    /// and a document type with declarations is refused. The encoding is determined by a byte order mark or by zero
    /// bytes, otherwise it is the declared one, otherwise UTF-8. Content outside the document element is checked and
    /// dropped.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - limits: The limits beyond which the document is refused.
    /// - Throws: ``SerializationError`` with code `malformedBody`, whose reason contains the position, `limitExceeded`,
    ///   or `unsupportedCharset` for an unknown encoding.
    public init(parsing data: Data, limits: ParsingLimits = ParsingLimits()) throws(SerializationError) {
        let bytes = try XMLPreparation.utf8(of: data, limits: limits)
        let root = try bytes.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in
                var reader = XMLReader(bytes: bytes, limits: limits, sink: XMLTreeBuilder())
                try reader.read()
                return reader.sink.root
            }
        }.get()
        guard let root else { throw SerializationError(.malformedBody, reason: "the XML document has no element") }
        self.init(root: root)
    }
}

extension ParsedXML: CustomStringConvertible {
    /// The document as XML text on one line, unless its text has line breaks; attributes in double quotes, no
    /// declaration.
    ///
    /// A parsed document results in the same tree when parsed again. Names, comments and instructions are not escaped;
    /// the program that sets them is responsible for their syntax.
    public var description: String { self.root.description }
}

extension ParsedXML.Element: CustomStringConvertible {
    /// The element as XML text.
    public var description: String {
        var output = ""
        self.write(to: &output)
        return output
    }

    private func write(to output: inout String) {
        output += "<\(self.name)"
        for attribute in self.attributes {
            output += " \(attribute.name)=\"\(Self.escaped(attribute.value, isAttribute: true))\""
        }
        if self.children.isEmpty {
            output += "/>"
            return
        }
        output += ">"
        for child in self.children {
            switch child {
            case .element(let element): element.write(to: &output)
            case .text(let text): output += Self.escaped(text, isAttribute: false)
            case .comment(let text): output += "<!--\(text)-->"
            case .instruction(let target, let content):
                output += content.isEmpty ? "<?\(target)?>" : "<?\(target) \(content)?>"
            }
        }
        output += "</\(self.name)>"
    }

    /// Escapes characters that would be parsed differently.
    private static func escaped(_ text: String, isAttribute: Bool) -> String {
        // A string, because appending to its view of scalars reallocates each time.
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"" where isAttribute: output += "&quot;"
            case "\r": output += "&#13;"
            case "\n" where isAttribute: output += "&#10;"
            case "\t" where isAttribute: output += "&#9;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
