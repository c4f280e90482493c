// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension Session {
    private static var largestBodySerializedInPlace: Int { 16 * 1024 }

    /// Converts a response into a value, on the cheaper executor.
    ///
    /// A change of thread costs some microseconds, which is more than decoding a small document: a small one is decoded
    /// on the caller's executor. A large one would block the caller's actor, possibly the main actor, and is decoded in
    /// the concurrent pool.
    static func value<Serializer: ResponseSerializer>(
        of response: Response,
        _ serializer: Serializer,
        _ call: Call
    ) async throws -> Serializer.Output {
        call.tell(.decodingStarted)
        do {
            let isSmall = response.body.count <= Self.largestBodySerializedInPlace && !serializer.isCostly
            let value = isSmall ? try serializer.serialize(response) : try await Self.concurrently(response, serializer)
            call.tell(.decodingEnded)
            return value
        } catch let error as SerializationError {
            let error = SessionError(error, request: call.originalRequest, isRequestSent: true)
            call.tell(.decodingFailed(error))
            throw error
        }
    }

    @concurrent
    private static func concurrently<Serializer: ResponseSerializer>(
        _ response: Response,
        _ serializer: Serializer
    ) async throws -> Serializer.Output {
        try serializer.serialize(response)
    }
}
