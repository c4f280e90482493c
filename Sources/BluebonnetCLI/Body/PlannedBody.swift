// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A body as the command line asks for it.
struct PlannedBody: Sendable {
    /// The body.
    var body: RequestBody = .none

    /// Its Content-Type.
    var mediaType: String?

    /// Its Content-Encoding; nil unless it is compressed.
    var contentCoding: String?

    /// The boundary of a multipart form.
    var boundary: String?

    /// The Accept field: JSON first where JSON is sent.
    var accept = "*/*"

    /// A document that a request serializer writes into query or body, as the method has it.
    var parameters: ParameterValue?

    /// How the parameters are written.
    var format = Format.json

    /// The formats that a document can be sent in.
    enum Format {
        case json, form, propertyList
    }

    /// What is accepted where JSON is sent.
    static let acceptJSON = "application/json, */*;q=0.5"

    /// Whether there is anything to send, so that the method is guessed to be POST.
    var isPresent: Bool {
        if self.parameters != nil { return true }
        if case .none = self.body { return false }
        return true
    }

    /// Writes parameters as the library's serializers do.
    ///
    /// - Throws: `CommandFailure` if they cannot be written, for example a list into a query.
    func serialize(_ parameters: ParameterValue, into request: Request) throws(CommandFailure) -> Request {
        do throws(SerializationError) {
            let serializer: any RequestSerializer =
                switch self.format {
                case .json: .json
                case .form: .http
                case .propertyList: .propertyList
                }
            return try serializer.serialize(request, parameters: parameters)
        } catch {
            throw .usage("--parameters cannot be sent: \(error.reason)")
        }
    }
}
