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
        var configuration = Session.Configuration()
        configuration.timeouts.idle = .seconds(10)
        configuration.timeouts.total = .seconds(60)
        configuration.limits.responseByteCount = 4 << 20
        configuration.retries = .idempotent(attempts: 3)
        configuration.retryBudget = RetryBudget()
        var api = try HTTPSession(address, configuration: configuration)
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

@main
struct Main {
    static func main() async {
        do {
            let garden = try Garden("https://garden.example/v1")
            if let name = CommandLine.arguments.dropFirst().first {
                print(try await garden.add(name).id)
            }
            for plant in try await garden.plants() { print(plant.id, plant.name) }
        } catch let refusal as Refusal {
            print("the service says: \(refusal.message)")
        } catch let error as SessionError where error.code == .timedOut {
            print("the service did not answer in time")
        } catch {
            print(error)
        }
    }
}
