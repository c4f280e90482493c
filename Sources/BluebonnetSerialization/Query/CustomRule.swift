// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A closure in a value that can be compared.
///
/// Closures cannot be compared, so a rule is equal to its copies only.
public struct CustomRule<Function: Sendable>: Sendable {
    private final class Box: Sendable {
        let function: Function

        init(_ function: Function) {
            self.function = function
        }
    }

    private let box: Box

    /// The closure.
    public var function: Function { self.box.function }

    /// Creates a rule.
    ///
    /// - Parameter function: The closure.
    public init(_ function: Function) {
        self.box = Box(function)
    }
}

extension CustomRule: Equatable {
    /// Whether one is a copy of the other.
    public static func == (left: Self, right: Self) -> Bool { left.box === right.box }
}
