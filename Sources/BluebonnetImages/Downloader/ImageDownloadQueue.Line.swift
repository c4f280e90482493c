// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ImageDownloadQueue {
    /// The numbers of waiting downloads in their order; one is taken from either end in constant time.
    struct Line {
        private var numbers: [UInt64] = []
        /// The index of the first number that has not been taken.
        private var start = 0

        mutating func append(_ number: UInt64) {
            self.numbers.append(number)
        }

        mutating func takeFirst() -> UInt64? {
            guard self.start < self.numbers.count else { return nil }
            let number = self.numbers[self.start]
            self.start += 1
            // Each number is moved once at most on average.
            if self.start * 2 >= self.numbers.count {
                self.numbers.removeFirst(self.start)
                self.start = 0
            }
            return number
        }

        mutating func takeLast() -> UInt64? {
            self.start < self.numbers.count ? self.numbers.popLast() : nil
        }
    }
}
