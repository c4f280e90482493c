// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Quoting of words in commands that are printed for copying.
enum ShellWord {
    /// Returns a word quoted for a POSIX shell: in single quotes if it contains special characters.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-_./:=@%+,".utf8.contains(byte)
                }
            }
        if isPlain { return word }
        var quoted = "'"
        for scalar in word.unicodeScalars {
            if scalar == "'" { quoted += "'\\'" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }
}
