// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetCLI

@main
struct Entry {
    static func main() async {
        await CommandLineTool.main()
    }
}
