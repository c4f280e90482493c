// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Values of any type that accompany a request or a response and are never sent.
///
/// A program's own interceptors read what its call sites store here. A type is its own key, so there is one value per
/// type.
///
/// ```swift
/// struct Tenant: Sendable { var name: String }
///
/// request.context[Tenant.self] = Tenant(name: "acme")
/// ```
public struct RequestContext: Sendable {
    /// There are only ever a few values: a list is smaller and faster than a dictionary, and costs nothing while it is
    /// empty.
    private var entries: [(key: ObjectIdentifier, value: any Sendable)] = []

    /// Creates an empty context.
    public init() {}

    /// Whether there is no value.
    public var isEmpty: Bool { self.entries.isEmpty }

    /// Returns whether there is a value of another type than these.
    package func hasValue(besides types: [Any.Type]) -> Bool {
        self.entries.contains { entry in !types.contains { ObjectIdentifier($0) == entry.key } }
    }

    /// The value of a type.
    ///
    /// - Parameter type: The type.
    /// - Returns: The value; nil if there is none. Setting nil removes it.
    /// - Complexity: O(*n*) in the number of values.
    public subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get {
            let key = ObjectIdentifier(type)
            // A cast costs more than the search, and most requests have no value.
            guard let entry = self.entries.first(where: { $0.key == key }) else { return nil }
            return entry.value as? Value
        }
        set {
            let key = ObjectIdentifier(type)
            let index = self.entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): self.entries[index].value = value
            case (let index?, nil): self.entries.remove(at: index)
            case (nil, let value?): self.entries.append((key, value))
            case (nil, nil): break
            }
        }
    }
}
