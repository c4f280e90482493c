// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetSerialization

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("bluebonnet", "bluebonnet"), ("./a-b/c_1.2", "./a-b/c_1.2"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
        ("", "''"), ("a=b", "a=b"), ("=ls", "'=ls'"), ("%+,:@", "%+,:@"), ("~a", "'~a'"), ("a\nb", "'a\nb'"),
        ("$(x)", "'$(x)'"),
    ])
    func `quotes what a shell would change`(_ word: String, _ expected: String) {
        #expect(ShellWord.quoted(word) == expected)
    }
}
