// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension FileCookieStore {
    /// The limits of a file.
    package struct Limits: Sendable {
        /// The number of lines at which a file is rewritten.
        package var lineCount = 1000
        /// The number of bytes at which a file is rewritten, regardless of its lines.
        package var byteCount = 8 * 1024 * 1024
        /// The largest file that is read or written, in bytes.
        package var largestFile = FileCookieStore.largestFile

        package init() {}
    }

    /// What a store knows about its file.
    struct State {
        /// How far the journal has been read; nil before the first time.
        var position: PrivateFile.Position?
        /// The first line.
        var head: [UInt8] = []
        /// The number of lines that have been read.
        var lineCount = 0
        /// The number of bytes after the last line break: an incomplete line.
        var tornByteCount = 0

        /// The cookies that the lines result in, each with the line that keeps it in the file.
        private(set) var cookies: [Cookie.Identity: Line] = [:]
        /// The number of lines at which the file is checked again.
        private var nextReview = 0

        /// The line that sets a cookie.
        struct Line {
            var byteCount: Int
            var expires: Date?
        }

        /// Records a change in the cookies of the file.
        mutating func note(_ change: CookieChange, byteCount: Int) {
            switch change {
            case .set(let cookie): self.cookies[cookie.identity] = Line(byteCount: byteCount, expires: cookie.expires)
            case .removed(let cookie): self.cookies[cookie.identity] = nil
            }
        }

        /// Whether most of the file has been replaced or removed, or has expired.
        ///
        /// The check looks at all cookies. After it, the file is checked again only when it has grown by an eighth.
        mutating func isOutOfDate(at time: Date, _ limits: Limits) -> Bool {
            let byteCount = Int(self.position?.offset ?? 0)
            guard self.lineCount > limits.lineCount || byteCount > limits.byteCount,
                self.lineCount >= self.nextReview
            else { return false }
            self.nextReview = self.lineCount + self.lineCount / 8
            let lines = self.cookies.values.filter { line in line.expires.map { $0 > time } ?? true }
            return self.lineCount > max(limits.lineCount, 4 * lines.count)
                || byteCount > max(limits.byteCount, 2 * lines.reduce(0) { $0 + $1.byteCount })
        }
    }
}
