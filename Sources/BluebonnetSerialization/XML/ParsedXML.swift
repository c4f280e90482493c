// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// An XML document as a tree of values (XML 1.0, with namespaces).
///
/// ```swift
/// let feed = try await api.get("feed", serializer: .xmlDocument)
/// for entry in feed?.root.elements("entry") ?? [] {
///     print(entry.first("title")?.text ?? "", entry.first("link")?["href"] ?? "")
/// }
/// ```
///
/// The tree consists of values: it is `Sendable`, can be compared and changed, and is freed with its last copy.
public struct ParsedXML: Sendable, Hashable {
    /// The document element.
    public var root: Element

    /// Creates a document.
    ///
    /// - Parameter root: The document element.
    public init(root: Element) {
        self.root = root
    }

    /// Something inside an element.
    public enum Node: Sendable, Hashable {
        /// An element.
        case element(Element)
        /// Text, with references decoded and CDATA sections joined to what is beside them; white space is kept.
        case text(String)
        /// A comment, without its marks.
        case comment(String)
        /// A processing instruction.
        case instruction(target: String, content: String)
    }

    /// An attribute of an element.
    public struct Attribute: Sendable, Hashable {
        /// The name as it was written, with its prefix.
        public var name: String
        /// The namespace that the prefix stands for; nil without a prefix.
        public var namespace: String?
        /// The value, with references decoded and white space as spaces (XML 1.0 section 3.3.3).
        public var value: String

        /// Creates an attribute.
        ///
        /// - Parameters:
        ///   - name: The name, with its prefix.
        ///   - namespace: The namespace that the prefix stands for; nil without a prefix.
        ///   - value: The value.
        public init(_ name: String, namespace: String? = nil, value: String) {
            self.name = name
            self.namespace = namespace
            self.value = value
        }
    }

    /// An element: a name, attributes, and what is inside.
    public struct Element: Sendable, Hashable {
        /// The name as it was written, with its prefix.
        public var name: String
        /// The namespace of the name: what its prefix stands for, or the default namespace; nil if there is none.
        public var namespace: String?
        /// The attributes in the order of the document, declarations of namespaces included.
        public var attributes: [Attribute]
        /// What is inside, in the order of the document.
        public var children: [Node]

        /// Creates an element.
        ///
        /// - Parameters:
        ///   - name: The name, with its prefix.
        ///   - namespace: The namespace of the name; nil if there is none.
        ///   - attributes: The attributes.
        ///   - children: What is inside.
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
    /// The name without its prefix.
    public var localName: Substring { ParsedXML.localName(self.name) }

    /// The elements directly inside.
    public var elements: [Self] {
        self.children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The elements directly inside that have a name.
    ///
    /// - Parameters:
    ///   - name: The name as it was written; with a namespace, the name without its prefix.
    ///   - namespace: The namespace that the name has to be in; any unless given.
    /// - Returns: The elements, in the order of the document.
    public func elements(_ name: String, namespace: String? = nil) -> [Self] {
        self.elements.filter { $0.has(name, namespace) }
    }

    /// The first element directly inside that has a name.
    ///
    /// - Parameters:
    ///   - name: The name as it was written; with a namespace, the name without its prefix.
    ///   - namespace: The namespace that the name has to be in; any unless given.
    /// - Returns: The element, nil if there is none.
    public func first(_ name: String, namespace: String? = nil) -> Self? {
        for case .element(let element) in self.children where element.has(name, namespace) { return element }
        return nil
    }

    /// The value of the attribute with a name, as it was written; nil if there is none.
    ///
    /// - Parameter name: The name, with its prefix.
    public subscript(name: String) -> String? {
        self.attributes.first { BytewiseString.areEqual($0.name, name) }?.value
    }

    /// All text inside, at any depth, joined; comments and instructions are none.
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
        guard let namespace else { return BytewiseString.areEqual(self.name, name) }
        return self.localName.utf8.elementsEqual(name.utf8)
            && self.namespace.map { BytewiseString.areEqual($0, namespace) } == true
    }
}

extension ParsedXML {
    /// What follows the colon of a name, or the whole name.
    static func localName(_ name: String) -> Substring {
        // The colon's byte: a joiner after it would make one Character of both.
        name.utf8.firstIndex(of: UInt8(ascii: ":")).map { name[name.utf8.index(after: $0)...] } ?? name[...]
    }
}
