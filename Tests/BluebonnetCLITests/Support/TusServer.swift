// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Synchronization

/// A server of resumable uploads, tus 1.0.0 with its creation: as much of it as one client needs.
final class TusServer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var length = 0
        var patchCount = 0
    }

    private let state = Mutex(State())

    /// The number of the PATCH that gets no response; nil for none.
    private let stalledPatch: Int?

    init(stallingPatch number: Int? = nil) {
        self.stalledPatch = number
    }

    /// What has arrived.
    var bytes: [UInt8] { self.state.withLock { $0.bytes } }

    func response(to request: RecordedRequest) -> ScriptedResponse {
        var headers: HTTPFields = [Self.name("Tus-Resumable"): "1.0.0"]
        switch request.method {
        case .options:
            headers[Self.name("Tus-Version")] = "1.0.0"
            headers[Self.name("Tus-Extension")] = "creation"
            return ScriptedResponse(status: .noContent, headers: headers)
        case .post:
            let length = request.headers[Self.name("Upload-Length")].flatMap { Int($0) } ?? 0
            self.state.withLock { $0 = State(length: length) }
            headers[.location] = "/files/one"
            return ScriptedResponse(status: .created, headers: headers)
        case .head:
            self.state.withLock { state in
                headers[Self.name("Upload-Offset")] = "\(state.bytes.count)"
                headers[Self.name("Upload-Length")] = "\(state.length)"
            }
            return ScriptedResponse(headers: headers)
        case .patch:
            return self.append(request, headers)
        default:
            return ScriptedResponse(status: .methodNotAllowed)
        }
    }

    private func append(_ request: RecordedRequest, _ headers: HTTPFields) -> ScriptedResponse {
        var headers = headers
        let offset = request.headers[Self.name("Upload-Offset")].flatMap { Int($0) }
        let (isRight, count, number) = self.state.withLock { state in
            state.patchCount += 1
            let isRight = offset == state.bytes.count
            if isRight, state.patchCount != self.stalledPatch { state.bytes += request.body }
            return (isRight, state.bytes.count, state.patchCount)
        }
        if number == self.stalledPatch { return ScriptedResponse(effect: .stall(.beforeResponse)) }
        guard isRight else { return ScriptedResponse(status: .conflict, headers: headers) }
        headers[Self.name("Upload-Offset")] = "\(count)"
        return ScriptedResponse(status: .noContent, headers: headers)
    }

    private static func name(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
