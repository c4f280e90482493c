// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension FileCookieStore {
    /// The sizes of a file.
    package struct Limits: Sendable {
        /// The number of lines that a file has before it is written anew.
        package var lineCount = 1000
        /// The number of bytes that a file has before it is written anew, however few lines it has.
        package var byteCount = 8 * 1024 * 1024
        /// The number of bytes beyond which a file is neither read nor written.
        package var largestFile = FileCookieStore.largestFile

        package init() {}
    }

    /// What a store knows of its file.
    struct State {
        /// How far the journal has been read; nil before the first time.
        var position: PrivateFile.Position?
        /// The first line.
        var head: [UInt8] = []
        /// The number of lines that have been read.
        var lineCount = 0
        /// The number of bytes behind the last line break: they are of a line that was not written to its end.
        var tornByteCount = 0

        /// The cookies that the lines come to, and what keeps each of them in the file.
        private(set) var cookies: [Cookie.Identity: Line] = [:]
        /// The number of lines at which the file is looked at again.
        private var nextReview = 0

        /// The line that sets a cookie.
        struct Line {
            var byteCount: Int
            var expires: Date?
        }

        /// Keeps count of the cookies there are.
        mutating func note(_ change: CookieChange, byteCount: Int) {
            switch change {
            case .set(let cookie): self.cookies[cookie.identity] = Line(byteCount: byteCount, expires: cookie.expires)
            case .removed(let cookie): self.cookies[cookie.identity] = nil
            }
        }

        /// Whether most of the file is replaced, removed or expired.
        ///
        /// To find out, all cookies are looked at. Therefore a file for which this is called is looked at again only when it has grown by an
        /// eighth.
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
