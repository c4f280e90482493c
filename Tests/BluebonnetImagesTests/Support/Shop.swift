// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization

/// Keeps responses back until the test lets them go, by path.
final class Shop: Sendable {
    private struct State {
        var asked: [String] = []
        var waiting: [String: [CheckedContinuation<Void, any Error>]] = [:]
        var cancelled: [String] = []
    }

    private let state = Mutex(State())
    let picture: Data

    init() throws {
        self.picture = try ImageMagick.make(ImageMagick.photo, as: "png24")
    }

    var asked: [String] { self.state.withLock { $0.asked } }
    var cancelled: [String] { self.state.withLock { $0.cancelled } }

    var transport: StubTransport {
        StubTransport { request in
            let path = String(request.target)
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    self.state.withLock { state in
                        state.asked.append(path)
                        state.waiting[path, default: []].append(continuation)
                    }
                }
            } onCancel: {
                self.release(path, CancellationError())
            }
            if path.hasSuffix("missing") { return TransportResponse(status: .notFound) }
            let body = ResponseBody(ByteBuffer(bytes: self.picture))
            return TransportResponse(
                status: .ok,
                headers: [.contentType: "image/png", .cacheControl: "max-age=60"],
                body: body
            )
        }
    }

    /// Lets the responses of a path go, or fail.
    func release(_ path: String, _ error: (any Error)? = nil) {
        let waiting = self.state.withLock { state in
            if error != nil { state.cancelled.append(path) }
            return state.waiting.removeValue(forKey: path) ?? []
        }
        for continuation in waiting {
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
    }

    /// Waits until a number of requests have been sent.
    func wait(for count: Int) async {
        while self.asked.count < count { await Task.yield() }
    }
}
