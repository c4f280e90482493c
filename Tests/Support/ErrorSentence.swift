// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The style of the sentences in errors.
///
/// They stand behind a colon or before a semicolon: they begin with a small letter, unless with a name or an acronym,
/// and end without a full stop.
public enum ErrorSentence {
    /// Returns what is wrong with the style of a sentence; nil if it is right.
    public static func fault(in sentence: String?) -> String? {
        guard let sentence, let first = sentence.unicodeScalars.first else { return "there is no sentence" }
        if sentence.utf8.last == UInt8(ascii: ".") { return "“\(sentence)” ends with a full stop" }
        let second = sentence.unicodeScalars.dropFirst().first
        guard first.properties.isUppercase, second.map({ !$0.properties.isUppercase }) ?? true else { return nil }
        return "“\(sentence)” begins with a capital letter"
    }
}
