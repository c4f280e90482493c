// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A reader that changes or observes the bytes of another one, and can be read when that one can.
///
/// The requirements with a default must be forwarded: a wrapper that forgets them makes the engine block a thread.
package protocol WrappingBodyReader: BodyReader {
    /// The reader whose bytes are passed on.
    var reader: any BodyReader { get }
}

extension WrappingBodyReader {
    package var delayBeforeNextRead: Duration { self.reader.delayBeforeNextRead }

    package var isReadable: Bool { self.reader.isReadable }

    package func whenReadable(_ notify: @escaping @Sendable () -> Void) { self.reader.whenReadable(notify) }
}
