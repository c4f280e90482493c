// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The namespaces of the prefixes in scope (Namespaces in XML 1.0).
struct XMLNamespaces {
    private static let xml = "http://www.w3.org/XML/1998/namespace"
    private static let xmlns = "http://www.w3.org/2000/xmlns/"

    /// A namespace and its number, which is compared instead of the text: each attribute has a namespace, and the text
    /// may be long.
    private struct Namespace {
        let text: String
        let number: Int
    }

    /// The expanded name of an attribute with a prefix.
    private struct ExpandedName: Hashable {
        let namespace: Int
        let local: BytewiseString
    }

    /// The namespaces of each prefix, the innermost last; the empty prefix has the default namespace.
    private var bindings: [BytewiseString: [Namespace]] = [
        "xml": [Namespace(text: Self.xml, number: 0)],
        "xmlns": [Namespace(text: Self.xmlns, number: 1)],
    ]
    /// The numbers of the declared namespaces; those of the two reserved prefixes cannot be declared.
    private var numbers: [BytewiseString: Int] = [:]
    /// The prefixes declared by each open element.
    private var declared: [[BytewiseString]] = []

    /// Enters an element: adds the declarations of its tag, and sets the namespaces of its attributes.
    ///
    /// - Parameters:
    ///   - name: The element's name.
    ///   - attributes: The attributes of its tag.
    /// - Returns: The namespace of the element.
    /// - Throws: The problem of an invalid name or declaration.
    mutating func enter(
        _ name: String,
        _ attributes: inout [ParsedXML.Attribute]
    ) throws(XMLProblem) -> String? {
        self.declared.append([])
        for attribute in attributes {
            if attribute.name == "xmlns" {
                try self.bind("", to: attribute.value)
            } else if attribute.name.utf8.starts(with: "xmlns:".utf8) {
                try self.bind(Substring(attribute.name.utf8.dropFirst(6)), to: attribute.value)
            }
        }
        // Section 6.3: two prefixes may be bound to one namespace.
        var expanded: Set<ExpandedName> = []
        for index in attributes.indices {
            guard let prefix = try Self.prefix(of: attributes[index].name) else { continue }
            let namespace = try self.namespace(of: prefix)
            attributes[index].namespace = namespace.text
            let local = BytewiseString(String(ParsedXML.localName(attributes[index].name)))
            guard expanded.insert(ExpandedName(namespace: namespace.number, local: local)).inserted else {
                throw XMLProblem("an attribute that is there twice")
            }
        }
        if let prefix = try Self.prefix(of: name) {
            // Section 3: element names must not have the prefix xmlns.
            guard prefix != "xmlns" else { throw XMLProblem("an element with the prefix xmlns") }
            return try self.namespace(of: prefix).text
        }
        let inherited = self.bindings[""]?.last?.text
        return inherited?.isEmpty == true ? nil : inherited
    }

    /// Leaves the innermost element.
    mutating func leave() {
        for prefix in self.declared.popLast() ?? [] { self.bindings[prefix]?.removeLast() }
    }

    private mutating func bind(_ prefix: Substring, to namespace: String) throws(XMLProblem) {
        // Section 3: the two reserved prefixes cannot be rebound, and no other prefix can be bound to their namespaces.
        let isReserved = namespace == Self.xml || namespace == Self.xmlns
        if prefix == "xml", namespace == Self.xml { return }
        guard prefix != "xml", prefix != "xmlns", !isReserved else {
            throw XMLProblem("a declaration of a reserved namespace")
        }
        guard prefix.isEmpty || !namespace.isEmpty else { throw XMLProblem("a prefix for no namespace") }
        let key = BytewiseString(String(prefix))
        self.bindings[key, default: []].append(Namespace(text: namespace, number: self.number(of: namespace)))
        self.declared[self.declared.count - 1].append(key)
    }

    private mutating func number(of namespace: String) -> Int {
        let key = BytewiseString(namespace)
        if let number = self.numbers[key] { return number }
        let number = self.numbers.count + 2
        self.numbers[key] = number
        return number
    }

    private func namespace(of prefix: Substring) throws(XMLProblem) -> Namespace {
        guard let namespace = self.bindings[BytewiseString(String(prefix))]?.last else {
            throw XMLProblem("a prefix that stands for no namespace")
        }
        return namespace
    }

    /// Returns the prefix of a name; nil without a colon (section 4).
    private static func prefix(of name: String) throws(XMLProblem) -> Substring? {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let local = name[name.utf8.index(after: colon)...]
        guard colon > name.startIndex, let first = local.unicodeScalars.first,
            !local.utf8.contains(UInt8(ascii: ":")),
            first.isASCII ? XMLName.isPart(UInt8(ascii: first), isFirst: true) : XMLName.isPart(first, isFirst: true)
        else { throw XMLProblem("a colon where a name cannot have one") }
        return name[..<colon]
    }
}
