// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import BluebonnetTransport

@main
struct Entry {
    static func main() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = Surroundings.connectionCount
        configuration.pool.maximumConnections = .max
        configuration.httpVersions = Surroundings.isHTTP2 ? .negotiated : .http1
        if let root = Surroundings.root {
            configuration.tls.trustsSystemRoots = false
            configuration.tls.additionalRoots = [.pemFile(root)]
        }
        let transport = NIOTransport(configuration: configuration)
        let arguments = Array(CommandLine.arguments.dropFirst())
        // The name of the measurement comes first, then the URL.
        let rest = Array(arguments.dropFirst())
        switch (arguments.first, rest.dropFirst().first) {
        case ("--transport", let url?):
            await Workload.run(try TransportPeer(transport, preparing: url), arguments: rest)
        case ("--pairs", let width?), ("--conversion", let width?):
            let (url, count) = (rest[0], rest.dropFirst(2).first.flatMap { Int($0) } ?? 200)
            let width = Int(width) ?? 1
            let engine = try TransportPeer(transport, preparing: url)
            if arguments[0] == "--pairs" {
                try await Pairs.run((engine, SessionPeer(transport, preparing: url)), url, width: width, count: count)
            } else {
                try await Pairs.run((engine, engine.converting(url)), url, width: width, count: count)
            }
            await transport.shutdown()
        case ("--session", let url?): await Workload.run(SessionPeer(transport, preparing: url), arguments: rest)
        default: await Workload.run(SessionPeer(transport), arguments: arguments)
        }
    }
}
