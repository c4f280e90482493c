// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The underlying error of ``TransportError/Code/decompressionFailed`` for encoded content that is valid as far as it
/// goes, but ends early.
///
/// It distinguishes an interrupted response from a corrupt one, which another request does not repair.
package struct TruncatedContentError: Error {}
