// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A stack whose top elements can be moved out together into an array of exact size.
struct JSONScratch<Element>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        self.base.deinitialize(count: self.count)
        self.base.deallocate()
    }

    /// The elements from a position to the top, valid until the next change.
    @inline(__always)
    func elements(from start: Int) -> UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(start: self.base + start, count: self.count - start)
    }

    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if self.count == self.capacity { self.grow() }
        (self.base + self.count).initialize(to: element)
        self.count &+= 1
    }

    /// Removes and returns the top element.
    mutating func pop() -> Element {
        self.count &-= 1
        return (self.base + self.count).move()
    }

    /// Drops the top elements, which the caller has moved out.
    @inline(__always)
    mutating func forget(from start: Int) { self.count = start }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: self.capacity * 2)
        larger.moveInitialize(from: self.base, count: self.count)
        self.base.deallocate()
        self.base = larger
        self.capacity *= 2
    }
}
