import Bluebonnet

struct Plant: Codable, Sendable {
    var id: Int
    var name: String
}

struct Garden: Sendable {
    private let api: HTTPSession

    init(_ address: String) throws {
        self.api = try HTTPSession(address)
    }

    func plants(color: String? = nil) async throws -> [Plant] {
        try await self.api.get("plants", parameters: ["color": color], as: [Plant].self)
    }
}
