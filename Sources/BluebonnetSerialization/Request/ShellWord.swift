// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// Encodes words of a POSIX shell (IEEE Std 1003.1, Shell Command Language, section 2.2).
package enum ShellWord {
    /// Returns a text as one word: unchanged if no byte has a meaning for a shell, otherwise in single quotes.
    package static func quoted(_ text: String) -> String {
        // zsh replaces a word that begins with "=" by the path of a command.
        if let first = text.utf8.first, first != UInt8(ascii: "="), text.utf8.allSatisfy(Self.isPlain) { return text }
        var output = ByteBuilder(capacity: text.utf8.count + 8)
        output.append("'")
        for byte in text.utf8 {
            // Only a single quote ends a quoted string, so it is written outside of the quotes.
            if byte == UInt8(ascii: "'") { output.append(#"'\''"#) } else { output.append(byte) }
        }
        output.append("'")
        return output.makeString()
    }

    /// Returns bytes as a single-quoted format of `printf`: everything but plain text is an octal escape, and so is a
    /// `-`, which could begin an option.
    static func printfFormat(_ data: Data) -> String {
        var output = ByteBuilder(capacity: data.count * 2 + 8)
        output.append("'")
        for byte in data {
            if Self.isPlain(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "-") {
                output.append(byte)
            } else {
                output.append("\\")
                for shift in [6, 3, 0] { output.append(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
            }
        }
        output.append("'")
        return output.makeString()
    }

    /// Returns a text as one word of plain ASCII, which a command substitution makes of `printf` if the text is not
    /// printable; it must not end with a line break then, because a substitution removes that.
    static func printable(_ text: String) -> String {
        Self.isPrintable(text) || text.utf8.last == UInt8(ascii: "\n")
            ? Self.quoted(text) : Self.substitution(Data(text.utf8))
    }

    /// Returns bytes as one word, a command substitution of `printf`; they must not end with a line break.
    static func substitution(_ data: Data) -> String { "\"$(printf \(Self.printfFormat(data)))\"" }

    /// Whether a text is displayed as it is: no scalar but a line feed or a tab controls a terminal or changes the
    /// display of the others.
    static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !$0.changesDisplay }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "_./:=@%+,-".utf8.contains(byte)
    }
}
