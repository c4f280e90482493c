// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import BluebonnetTransport

@main
struct Entry {
    static func main() async {
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
        if arguments.first == "--transport" {
            await Workload.run(TransportPeer(transport), arguments: Array(arguments.dropFirst()))
        } else {
            await Workload.run(SessionPeer(transport), arguments: arguments)
        }
    }
}
