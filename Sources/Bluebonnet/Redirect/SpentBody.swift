// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The body of a redirected request, which tells whether a policy has replaced it.
///
/// Two streams cannot be compared. A body that can be read only once has been read when the redirect arrives, so the
/// policy gets a placeholder for it. A request that still has the placeholder is one whose body the policy has not
/// replaced; reading the placeholder is an error.
struct SpentBody {
    private struct Spent: Error {}

    /// The body as a policy gets it.
    let body: RequestBody

    private let boundary: String?

    /// Creates it from the body of the redirected request.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - isWhole: Whether it has not been read, because it was held back for 100 (Continue).
    init(_ body: RequestBody, isWhole: Bool) {
        switch body {
        case .stream(let length, false, _) where !isWhole:
            self.body = .stream(length: length, isReplayable: false, makeReader: { throw Spent() })
            self.boundary = nil
        case .multipart(let form) where !form.isReplayable && !isWhole:
            self.body = body
            self.boundary = form.boundary
        default:
            self.body = body
            self.boundary = nil
        }
    }

    /// The body to send.
    ///
    /// - Parameter body: The body of the request that a policy has returned.
    /// - Returns: The same, or one that is read from the reader that it has made; nil if it has been read.
    /// - Throws: The error of a new body that cannot be read.
    @concurrent func replacement(_ body: RequestBody) async throws -> RequestBody? {
        switch body {
        case .stream(let length, false, _):
            do throws(SerializationError) {
                return .reader(try body.makeReader(), length: length)
            } catch {
                if error.underlying is Spent { return nil }
                throw error
            }
        case .multipart(let form) where !form.isReplayable:
            // A form with the same boundary is the same form, or made from it.
            return self.boundary.map { $0.utf8.elementsEqual(form.boundary.utf8) } ?? false ? nil : body
        default:
            return body
        }
    }
}
