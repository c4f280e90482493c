// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension BuiltInRoutes {
    static let statusRoutes: [BuiltInRoute] = [
        BuiltInRoute("/status/N", "status N, 200 to 999, without a body") { request in
            guard let code = Int(request.target.segments[1]), (200...999).contains(code) else {
                return .error(400, "the status must be a number from 200 to 999")
            }
            return OutgoingResponse(status: code)
        },
        BuiltInRoute("/delay/SECONDS", "an empty JSON object after so many seconds, 0.25 for example; 60 at most") {
            request in
            guard let time = Self.time(request.target.segments[1]) else {
                return .error(400, "the delay must be a number of seconds from 0 to 60")
            }
            var response = OutgoingResponse.json(.object([]))
            response.delay = time
            return response
        },
        BuiltInRoute(
            "/drip?duration=S&bytes=N&delay=S&code=N",
            "N bytes `*`, spread evenly over S seconds (2 s, 10 bytes)"
        ) {
            Self.drip($0.target)
        },
    ]

    /// Parses a number of seconds; returns nil unless it is from 0 to 60.
    static func time(_ text: String) -> TimeAmount? {
        guard let seconds = Double(text), seconds >= 0, seconds <= 60 else { return nil }
        return .nanoseconds(Int64(seconds * 1e9))
    }

    private static func drip(_ target: ReceivedTarget) -> OutgoingResponse {
        guard let duration = self.time(target["duration"] ?? "2"), let delay = self.time(target["delay"] ?? "0"),
            let byteCount = Int(target["bytes"] ?? "10"), (0...10_000_000).contains(byteCount),
            let code = Int(target["code"] ?? "200"), (200...999).contains(code)
        else { return .error(400, "duration and delay are seconds up to 60, bytes a number up to 10,000,000") }
        var response = OutgoingResponse(
            status: code,
            headers: [("Content-Type", "application/octet-stream")],
            body: BodySource(ByteBuffer(repeating: UInt8(ascii: "*"), count: byteCount))
        )
        response.delay = delay
        // At most a thousand pieces, with pauses between them.
        let pieceCount = max(1, min(byteCount, 1000))
        let pieceByteCount = max(1, (byteCount + pieceCount - 1) / pieceCount)
        let pause = duration.nanoseconds / Int64(max(1, (byteCount + pieceByteCount - 1) / pieceByteCount - 1))
        response.pace = OutgoingResponse.Pace(byteCount: pieceByteCount, pause: .nanoseconds(pause))
        return response
    }
}
