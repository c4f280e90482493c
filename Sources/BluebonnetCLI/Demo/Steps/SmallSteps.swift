// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import FoundationEssentials

/// The steps with small bodies, encoded from and decoded to values.
struct SmallSteps {
    let api: HTTPSession

    var all: [DemoStep] { [self.get, self.postForm, self.postJSON] }

    /// The document of the server's `/json`.
    private struct Flower: Decodable, Sendable {
        var name: String
        var petals: Int
        var states: [String]
    }

    /// The server's `/echo` report about a request.
    private struct Echo: Decodable, Sendable {
        struct Body: Decodable, Sendable {
            var sha256: String
            var text: String?
        }

        var method: String
        var body: Body
        var form: [[String]]?
    }

    var get: DemoStep {
        DemoStep(title: "GET JSON as a Swift type") {
            let flower = try await self.api.get("json", as: Flower.self)
            try DemoStep.check(flower.name == "bluebonnet", "the name is “\(flower.name)” and not “bluebonnet”")
            try DemoStep.check(flower.states == ["Texas"], "the list of states did not arrive")
            return DemoStep.Outcome(detail: "\(flower.name), \(flower.petals) petals")
        }
    }

    private var postForm: DemoStep {
        DemoStep(title: "POST a form") {
            let parameters: Parameters = ["name": "Ada Lovelace", "year": 1815, "note": "a&b=c?€"]
            let call = try self.api.prepare(.post, "echo", parameters: parameters)
            let echo = try await call.value(as: Echo.self)
            try self.check(echo, against: call.request)
            let pairs = Dictionary((echo.form ?? []).map { ($0[0], $0[1]) }) { first, _ in first }
            let expected = ["name": "Ada Lovelace", "year": "1815", "note": "a&b=c?€"]
            try DemoStep.check(pairs == expected, "the fields of the form are not those that were sent")
            return DemoStep.Outcome(detail: "\(pairs.count) fields, \(Self.short(echo.body.sha256))")
        }
    }

    private var postJSON: DemoStep {
        DemoStep(title: "POST JSON") {
            var api = self.api
            api.requestSerializer = JSONRequestSerializer()
            let parameters: Parameters = ["name": "Grace", "languages": ["COBOL", "FLOW-MATIC"], "born": 1906]
            let call = try api.prepare(.post, "echo", parameters: parameters)
            let echo = try await call.value(as: Echo.self)
            try self.check(echo, against: call.request)
            let value = try JSONValue(parsing: echo.body.text ?? "")
            try DemoStep.check(value["languages"]?[1]?.string == "FLOW-MATIC", "the nested list did not arrive")
            return DemoStep.Outcome(detail: "nested, \(Self.short(echo.body.sha256))")
        }
    }

    private func check(_ echo: Echo, against request: Request) throws {
        let sent = Digest.text(of: try request.body.collect())
        try DemoStep.check(echo.method == "POST", "the server saw the method \(echo.method)")
        try DemoStep.check(echo.body.sha256 == sent, "the server received other bytes than were sent")
    }

    /// Returns the beginning of a digest, which has been compared as a whole.
    static func short(_ sha256: String) -> String { "sha256 \(sha256.prefix(8))" }
}
