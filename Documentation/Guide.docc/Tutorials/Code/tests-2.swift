import Bluebonnet
import BluebonnetTesting
import Testing

struct Plant: Codable, Sendable {
    var id: Int
    var name: String
}

@Suite struct GardenTests {
    @Test func `lists the plants of a color`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(.json(#"[{"id": 1, "name": "bluebonnet"}]"#))
            let api = try HTTPSession(server.url)
            let plants = try await api.get("plants", parameters: ["color": "blue"], as: [Plant].self)
            #expect(plants.map(\.name) == ["bluebonnet"])
            #expect(try await server.takeRequest().target == "/plants?color=blue")
        }
    }

    @Test func `asks a busy server again`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .serviceUnavailable), .json("[]"))
            var configuration = Session.Configuration()
            configuration.retries = .idempotent(attempts: 2)
            let api = try HTTPSession(server.url, configuration: configuration)
            let plants = try await api.get("plants", as: [Plant].self)
            #expect(plants.isEmpty)
            #expect(server.enqueuedCount == 0)
        }
    }
}
