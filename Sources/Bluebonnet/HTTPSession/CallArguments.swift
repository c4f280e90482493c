// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

/// The arguments of a verb besides its path.
struct CallArguments {
    var query: Parameters?
    var parameters: (any Encodable)?
    var body: RequestBody?
    var multipart: MultipartFormData?
    var headers: any HeaderFields
    var options: RequestOptions?
    var timeout: Duration?
    var progress: (@Sendable (TransferProgress) -> Void)?

    // Without labels, because every verb passes its own parameters on, and no two of them have the same type.
    init(
        _ query: Parameters?,
        _ parameters: (any Encodable)?,
        _ headers: any HeaderFields,
        _ options: RequestOptions? = nil,
        _ timeout: Duration? = nil,
        _ progress: (@Sendable (TransferProgress) -> Void)? = nil,
        _ body: RequestBody? = nil,
        _ multipart: MultipartFormData? = nil
    ) {
        self.query = query
        self.parameters = parameters
        self.body = body
        self.multipart = multipart
        self.headers = headers
        self.options = options
        self.timeout = timeout
        self.progress = progress
    }
}

extension HTTPSession {
    /// Builds the request of a call.
    ///
    /// Later header fields override earlier ones: the standard ones of every serializer, the session's, the
    /// serializer's own, the media type of the body, those of the call.
    func makeRequest(
        _ method: HTTPRequest.Method,
        _ path: any RequestPath,
        _ arguments: CallArguments
    ) throws(SessionError) -> Request {
        var request = Request(method: method, url: try self.url(for: path), options: self.options(for: arguments))
        do throws(SerializationError) {
            try arguments.checkBody()
            request = try self.serialize(arguments, into: request)
        } catch {
            throw SessionError(error, request: request)
        }
        request.removeStandardHeaders(replacedBy: self.session.configuration.headers)
        let isHome = self.isHome(request.url)
        if !isHome { request.keepOnlyPublicHeaders() }
        // The session's own fields are added later, by the stage that reads this.
        if !isHome || self.mustNameHome { request.context[HomeOrigin.self] = self.home.map(HomeOrigin.init) }
        try request.replaceHeaders(try arguments.headers.makeHeaderFields())
        return request
    }

    /// Whether requests to the origin of the base URL have to name it: for a rule, or because the session was made for
    /// another client's base URL.
    private var mustNameHome: Bool {
        self.session.configuration.authentication.hasHomeRules
            || self.session.home != nil && self.session.home != self.home
    }

    /// Encodes query, parameters and body; `request` has no header field yet.
    private func serialize(_ arguments: CallArguments, into request: Request) throws(SerializationError) -> Request {
        var request = request
        if let query = arguments.query {
            request = try self.requestSerializer.serialize(request, query: try self.encoder.encode(query))
        }
        let parameters = try self.encoded(arguments.parameters)
        switch (arguments.multipart, arguments.body) {
        case (let form?, _), (nil, .multipart(let form)):
            return try self.requestSerializer.serialize(request, parameters: parameters, multipart: form)
        case (nil, let body?):
            request.body = body
            var result = try self.requestSerializer.serialize(request, parameters: nil)
            result.setContentTypeOfFile()
            return result
        case (nil, nil):
            return try self.requestSerializer.serialize(request, parameters: parameters)
        }
    }

    /// The encoded parameters; nil if there are none, or for an optional without a value.
    private func encoded(_ parameters: (any Encodable)?) throws(SerializationError) -> ParameterValue? {
        guard let parameters, !Parameters.isNil(parameters) else { return nil }
        return try self.encoder.encode(parameters)
    }

    /// The options of a call, filled in from those of the session.
    private func options(for arguments: CallArguments) -> RequestOptions {
        var options = arguments.options ?? self.options
        if arguments.options != nil { options.fill(from: self.options) }
        if let timeout = arguments.timeout { options.totalTimeout = timeout }
        return options
    }
}

extension CallArguments {
    /// Refuses two bodies: one of them would be lost without an error.
    fileprivate func checkBody() throws(SerializationError) {
        guard let body = self.body else { return }
        if self.multipart != nil {
            throw SerializationError(
                .bodyNotAllowed,
                reason: "the call has both a body and a multipart form; give one of them"
            )
        }
        if case .multipart = body { return }
        if let parameters = self.parameters, !Parameters.isNil(parameters) {
            throw SerializationError(
                .bodyNotAllowed,
                reason: "the call has both a body and parameters; give parameters that belong into the URL as “query”"
            )
        }
    }
}

extension Request {
    /// More header fields than any server accepts; the collection of fields traps far above it.
    private static var largestFieldCount: Int { 1_000 }

    /// Removes the serializer's fields that are meant for the origin of the base URL.
    fileprivate mutating func keepOnlyPublicHeaders() {
        self.headers = HTTPFields(self.headers.filter { HomeOrigin.mayLeave($0.name) })
    }

    /// Removes the standard fields of every serializer that the session sets, too.
    ///
    /// A default gives way to what a program has set. The session's fields are added when the request is sent.
    fileprivate mutating func removeStandardHeaders(replacedBy headers: HTTPFields) {
        guard !headers.isEmpty else { return }
        for field in HTTPRequestSerializer.processHeaders
        where headers.contains(field.name) && self.headers[field.name] == field.value {
            self.headers[field.name] = nil
        }
    }

    /// Sets header fields, each replacing all fields of its name.
    fileprivate mutating func replaceHeaders(_ headers: HTTPFields) throws(SessionError) {
        guard headers.count + self.headers.count <= Self.largestFieldCount else {
            throw SessionError(
                .invalidRequest,
                reason: "the request has more than \(Self.largestFieldCount) header fields",
                request: self
            )
        }
        self.headers.replaceFields(with: headers)
    }

    /// Sets the media type by the file's path extension, unless there is one already.
    fileprivate mutating func setContentTypeOfFile() {
        guard case .file(let url) = self.body, !self.headers.contains(.contentType) else { return }
        self.headers[.contentType] = MediaType.type(forPathExtension: url.pathExtension)
    }

    /// The request with an Accept field for the media types of a serializer, unless it or the session has one already.
    func accepting(_ types: Set<String>?, in session: Session) -> Request {
        guard let types, !self.headers.contains(.accept), !session.configuration.headers.contains(.accept),
            let accept = Self.accept(types)
        else { return self }
        var request = self
        request.headers[.accept] = accept
        return request
    }

    /// The value of Accept (RFC 9110 section 12.5.1); nil if none of the types is allowed in it.
    private static func accept(_ types: Set<String>) -> String? {
        if types == JSONResponseSerializer.defaultContentTypes { return Self.acceptJSON }
        return Self.mediaRanges(types)
    }

    private static let acceptJSON = Self.mediaRanges(JSONResponseSerializer.defaultContentTypes)

    private static func mediaRanges(_ types: Set<String>) -> String? {
        let ranges = types.filter(Self.isMediaRange).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ranges.isEmpty ? nil : ranges.joined(separator: ", ")
    }

    /// Whether a type is `*/*`, `type/*` or `type/subtype`; a pattern such as `*+json` is not.
    private static func isMediaRange(_ type: String) -> Bool {
        guard HTTPField.isValidValue(type), let slash = type.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return false
        }
        let subtype = type[type.utf8.index(after: slash)...]
        return !subtype.isEmpty && (subtype == "*" || !type.utf8.contains(UInt8(ascii: "*")))
    }
}
