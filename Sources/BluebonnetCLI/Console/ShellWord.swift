// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Words of commands that are printed for copying.
enum ShellWord {
    /// The word as a POSIX shell reads it back: in single quotes where it holds anything special.
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
