// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import RelayService

/// Relays the notes of another service until SIGTERM or SIGINT.
///
///     swift run relay-service https://notes.example.com/v1 8080
@main
struct Program {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let address = arguments.first, let port = arguments.last.flatMap({ Int($0) }) else {
            return print("usage: relay-service URL PORT")
        }
        let eventLoops = MultiThreadedEventLoopGroup.singleton
        let service = try RelayService(relaying: address, eventLoopGroup: eventLoops)
        try await service.application(port: port, eventLoopGroup: eventLoops).runService()
    }
}
