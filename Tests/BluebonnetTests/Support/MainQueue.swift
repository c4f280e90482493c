// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The queue that runs the main actor; on Linux that need not be the process's first thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller runs on it.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: self.key) == true }
}
