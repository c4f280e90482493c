import Bluebonnet

struct Garden: Sendable {
    private let api: HTTPSession

    init(_ address: String) throws {
        self.api = try HTTPSession(address)
    }
}
