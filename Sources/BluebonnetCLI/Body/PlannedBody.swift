// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The body that the command line describes, with the header fields that follow from it.
struct PlannedBody: Sendable {
    /// The body.
    var body: RequestBody = .none

    /// Its Content-Type.
    var mediaType: String?

    /// Its Content-Encoding; nil unless it is compressed.
    var contentCoding: String?

    /// The boundary of a multipart form.
    var boundary: String?

    /// The Accept field: prefers JSON if JSON is sent.
    var accept = "*/*"

    /// A document that a request serializer encodes into the query or the body, depending on the method.
    var parameters: ParameterValue?

    /// The format of the parameters.
    var format = Format.json

    /// The formats in which a document can be sent.
    enum Format {
        case json, form, propertyList
    }

    /// The Accept field of a request that sends JSON.
    static let acceptJSON = "application/json, */*;q=0.5"

    /// Whether there is content to send, so that the method is inferred as POST.
    var isPresent: Bool {
        if self.parameters != nil { return true }
        if case .none = self.body { return false }
        return true
    }

    /// Encodes parameters with the library's serializers.
    ///
    /// - Throws: `CommandFailure` if they cannot be encoded, for example a list in a query.
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
