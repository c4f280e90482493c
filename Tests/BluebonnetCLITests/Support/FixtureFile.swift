// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files of the Fixtures folder.
enum FixtureFile {
    static func data(_ name: String) throws -> Data { try Data(contentsOf: self.url(name)) }

    static func url(_ name: String) -> URL {
        let folder = Bundle.module.resourceURL ?? Bundle.module.bundleURL
        return folder.appending(path: "Fixtures/\(name)")
    }
}
