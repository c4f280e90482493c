import Bluebonnet

struct Plant: Codable, Sendable {
    var id: Int
    var name: String
}

struct Refusal: Error, Decodable, Sendable {
    var message: String
}

struct Garden: Sendable {
    private let api: HTTPSession

    init(_ address: String) throws {
        var api = try HTTPSession(address)
        api.requestSerializer = .json
        self.api = api
    }

    func plants(color: String? = nil) async throws -> [Plant] {
        try await self.api.get("plants", parameters: ["color": color], as: [Plant].self)
    }

    func add(_ name: String) async throws -> Plant {
        do {
            return try await self.api.post("plants", parameters: ["name": name], as: Plant.self)
        } catch let error as SessionError where error.code == .unacceptableStatus {
            if let refusal = try? error.decode(Refusal.self) { throw refusal }
            throw error
        }
    }
}
