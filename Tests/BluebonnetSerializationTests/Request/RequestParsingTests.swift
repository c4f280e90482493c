// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct RequestParsingTests {
    @Test(
        .bug(id: "F322"),
        arguments: [
            ("http://h/s?f[n]=a%20b", "http://h/s?f%5Bn%5D=a%20b"),
            ("http://h/ok?a=100%&b=c%20d", "http://h/ok?a=100%25&b=c%20d"),
            ("http://h/%5B|%7c", "http://h/%5B%7C%7c"),
            ("http://u[:%40p@[::1]:8/[1]%20", "http://u%5B:%40p@[::1]:8/%5B1%5D%20"),
            ("http://h/a#b%20#c", "http://h/a#b%20%23c"),
            ("http://h/ü?%C3%BC#ü", "http://h/%C3%BC?%C3%BC#%C3%BC"),
            ("http://h/%", "http://h/%25"),
            ("http://h/%2", "http://h/%252"),
        ]
    )
    func `the text of a URL keeps its escapes`(_ text: String, _ url: String) throws {
        #expect(try Request(parsing: text).url.absoluteString == url)
    }
}
