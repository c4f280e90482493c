// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// An XML document as a tree of values (XML 1.0, with namespaces).
///
/// ```swift
/// let feed = try await api.get("feed", serializer: .xmlDocument)
/// for entry in feed?.root.elements("entry") ?? [] {
///     print(entry.first("title")?.text ?? "", entry.first("link")?["href"] ?? "")
/// }
/// ```
///
/// The tree consists of values: it is `Sendable`, can be compared and changed, and is released with its last copy.
public struct ParsedXML: Sendable, Hashable {
    /// The document element.
    public var root: Element

    /// Creates a document.
    ///
    /// - Parameter root: The document element.
    public init(root: Element) {
        self.root = root
    }

    /// A child node of an element.
    public enum Node: Sendable, Hashable {
        /// An element.
        case element(Element)
        /// Text, with references decoded and adjacent CDATA sections joined; white space is kept.
        case text(String)
        /// The content of a comment.
        case comment(String)
        /// A processing instruction.
        case instruction(target: String, content: String)
    }

    /// An attribute of an element.
    public struct Attribute: Sendable, Hashable {
        /// The qualified name, as in the document.
        public var name: String
        /// The namespace of the prefix; nil without a prefix.
        public var namespace: String?
        /// The value, with references decoded and white space normalized to spaces (XML 1.0 section 3.3.3).
        public var value: String

        /// Creates an attribute.
        ///
        /// - Parameters:
        ///   - name: The qualified name.
        ///   - namespace: The namespace of the prefix; nil without a prefix.
        ///   - value: The value.
        public init(_ name: String, namespace: String? = nil, value: String) {
            self.name = name
            self.namespace = namespace
            self.value = value
        }
    }

    /// An element: a name, attributes, and child nodes.
    public struct Element: Sendable, Hashable {
        /// The qualified name, as in the document.
        public var name: String
        /// The namespace of the name: that of its prefix, or the default namespace; nil if there is none.
        public var namespace: String?
        /// The attributes in document order, including namespace declarations.
        public var attributes: [Attribute]
        /// The child nodes in document order.
        public var children: [Node]

        /// Creates an element.
        ///
        /// - Parameters:
        ///   - name: The qualified name.
        ///   - namespace: The namespace of the name; nil if there is none.
        ///   - attributes: The attributes.
        ///   - children: The child nodes.
        public init(
            _ name: String,
            namespace: String? = nil,
            attributes: [Attribute] = [],
            children: [Node] = []
        ) {
            self.name = name
            self.namespace = namespace
            self.attributes = attributes
            self.children = children
        }
    }
}

extension ParsedXML.Element {
    /// The local name: the name without its prefix.
    public var localName: Substring { ParsedXML.localName(self.name) }

    /// The child elements.
    public var elements: [Self] {
        self.children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Returns the child elements with a name.
    ///
    /// - Parameters:
    ///   - name: The local name, whatever the prefix; without a namespace also a qualified name such as `dc:date`,
    ///     whose prefix is the document's choice.
    ///   - namespace: The required namespace; any or none unless given.
    /// - Returns: The elements in document order.
    public func elements(_ name: String, namespace: String? = nil) -> [Self] {
        self.elements.filter { $0.has(name, namespace) }
    }

    /// Returns the first child element with a name.
    ///
    /// - Parameters:
    ///   - name: The local name, whatever the prefix; without a namespace also a qualified name such as `dc:date`,
    ///     whose prefix is the document's choice.
    ///   - namespace: The required namespace; any or none unless given.
    /// - Returns: The element; nil if there is none.
    public func first(_ name: String, namespace: String? = nil) -> Self? {
        for case .element(let element) in self.children where element.has(name, namespace) { return element }
        return nil
    }

    /// The value of the attribute with a qualified name; nil if there is none.
    ///
    /// Setting nil removes the attribute. An attribute that is added comes last and has no namespace: append to
    /// ``attributes`` for one with a prefix.
    ///
    /// - Parameter name: The qualified name.
    public subscript(name: String) -> String? {
        get { self.attributes.first { BytewiseString.areEqual($0.name, name) }?.value }
        set {
            let index = self.attributes.firstIndex { BytewiseString.areEqual($0.name, name) }
            switch (index, newValue) {
            case (let index?, let value?): self.attributes[index].value = value
            case (let index?, nil): self.attributes.remove(at: index)
            case (nil, let value?): self.attributes.append(ParsedXML.Attribute(name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The value of the attribute with a local name and a namespace, whatever its prefix; nil if there is none.
    ///
    /// ```swift
    /// let drawing = try await api.get("drawing", serializer: .xmlDocument)
    /// let target = drawing?.root.first("use")?["href", namespace: "http://www.w3.org/1999/xlink"]
    /// ```
    ///
    /// - Parameters:
    ///   - localName: The name without its prefix.
    ///   - namespace: The namespace of the prefix. An attribute without a prefix has none: use ``subscript(_:)``.
    public subscript(localName: String, namespace namespace: String) -> String? {
        self.attributes.first { attribute in
            attribute.localName.utf8.elementsEqual(localName.utf8)
                && attribute.namespace.map { BytewiseString.areEqual($0, namespace) } == true
        }?.value
    }

    /// The text of all descendants, joined, without comments and instructions.
    public var text: String {
        var text = ""
        self.addText(to: &text)
        return text
    }

    private func addText(to text: inout String) {
        for child in self.children {
            switch child {
            case .text(let piece): text += piece
            case .element(let element): element.addText(to: &text)
            case .comment, .instruction: break
            }
        }
    }

    private func has(_ name: String, _ namespace: String?) -> Bool {
        guard let namespace else {
            return self.localName.utf8.elementsEqual(name.utf8) || BytewiseString.areEqual(self.name, name)
        }
        return self.localName.utf8.elementsEqual(name.utf8)
            && self.namespace.map { BytewiseString.areEqual($0, namespace) } == true
    }
}

extension ParsedXML.Attribute {
    /// The local name: the name without its prefix.
    public var localName: Substring { ParsedXML.localName(self.name) }
}

extension ParsedXML {
    /// Returns the part of a name after its colon, or the whole name.
    static func localName(_ name: String) -> Substring {
        // The colon is found by its byte: a joiner after it would combine both into one Character.
        name.utf8.firstIndex(of: UInt8(ascii: ":")).map { name[name.utf8.index(after: $0)...] } ?? name[...]
    }
}
