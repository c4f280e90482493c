// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

@main
struct Entry {
    static func main() throws {}
}
