// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A body of which a part may have been read.
extension ResponseBody {
    /// What has not been read of this sequence, with the number of its bytes, as far as the source knows.
    package var rest: ResponseBody {
        guard case .streamed(let source, _) = self.storage, let count = source.remainingByteCount else { return self }
        return ResponseBody(source: source, expectedLength: count)
    }
}
