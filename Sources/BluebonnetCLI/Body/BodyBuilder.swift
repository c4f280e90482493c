// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// A builder that makes the body of a request from options, items and standard input.
struct BodyBuilder {
    var options: BodyOptions
    var items: RequestItems
    var console: Console
    /// Whether standard input is sent as it comes, and not buffered first.
    var streamsInput = false

    /// Makes the body.
    ///
    /// - Throws: `CommandFailure` if options contradict each other or an item does not fit the body's format.
    func build() throws(CommandFailure) -> PlannedBody {
        try self.checkOptions()
        if let raw = self.options.raw { return self.rawBody(Array(raw.utf8)) }
        if let parameters = self.options.parameters { return try self.parameterBody(parameters) }
        if let body = try self.fileBody() { return body }
        if !self.items.data.isEmpty || self.options.multipart {
            if self.items.data.isEmpty { try self.refuseInput() }
            if self.isMultipart { return try self.multipartBody() }
            if self.options.plist { return try self.propertyListBody() }
            return self.options.form ? try self.formBody() : try self.jsonBody()
        }
        return try self.pipedBody()
    }

    private var hasUpload: Bool {
        self.items.data.contains { if case .file = $0.content { true } else { false } }
    }

    private var isMultipart: Bool { self.options.multipart || (self.options.form && self.hasUpload) }

    private func checkOptions() throws(CommandFailure) {
        let sources = [self.options.raw != nil, self.options.parameters != nil, !self.items.data.isEmpty].count { $0 }
        guard sources <= 1 else {
            throw .usage("a request has one body: give either data items, --parameters or --raw")
        }
        if self.options.parameters != nil, self.options.multipart {
            throw .usage("--parameters is sent as JSON, or with --form or --plist: leave out --multipart")
        }
        if self.options.boundary != nil, !self.isMultipart {
            throw .usage("--boundary belongs to a multipart form: add --multipart")
        }
    }

    private func rawBody(_ bytes: [UInt8]) -> PlannedBody {
        PlannedBody(body: .data(bytes.data), mediaType: self.untypedMediaType, accept: self.rawAccept)
    }

    /// The media type of a body that has none of its own: that of the chosen format, JSON by default.
    private var untypedMediaType: String {
        switch self.options.format {
        case .form: Self.formMediaType
        case .json: "application/json"
        case .propertyList: PropertyListRequestSerializer().contentType
        }
    }

    private var rawAccept: String { self.options.format == .json ? PlannedBody.acceptJSON : "*/*" }

    private static let formMediaType = "application/x-www-form-urlencoded; charset=utf-8"

    private func parameterBody(_ text: String) throws(CommandFailure) -> PlannedBody {
        let document = try JSONDocument.parse(Array(text.utf8), from: "the value of --parameters")
        let parameters = try Self.parameters(document)
        if self.options.format == .propertyList { try Self.checkNumbers(parameters) }
        return PlannedBody(accept: self.rawAccept, parameters: parameters, format: self.options.format)
    }

    private static func parameters(_ document: JSONValue) throws(CommandFailure) -> ParameterValue {
        do throws(SerializationError) {
            return try ParameterValue(document)
        } catch {
            // JSON distinguishes such names, the keys of parameters do not.
            let key = error.codingPath.last ?? ""
            throw .usage(
                "an object has the key “\(key)” twice, in two Unicode forms (canonically equivalent): send the document with --raw"
            )
        }
    }

    /// Refuses numbers that a property list has as text only.
    private static func checkNumbers(_ value: ParameterValue) throws(CommandFailure) {
        switch value {
        case .number(let number):
            throw .usage("a property list cannot keep the number \(number.text) exactly: write it as text, in quotes")
        case .array(let elements): for element in elements { try Self.checkNumbers(element) }
        case .dictionary(let members): for member in members.values { try Self.checkNumbers(member) }
        default: break
        }
    }

    /// Returns the file of an `@path` item without a name, which is the whole body.
    private func fileBody() throws(CommandFailure) -> PlannedBody? {
        guard let first = self.items.data.first(where: { $0.name.isEmpty && $0.isUpload }),
            case .file(let path, let mediaType) = first.content
        else { return nil }
        guard self.items.data.count == 1, !self.options.multipart else {
            throw .usage(
                "“@\(path)” is the whole body and cannot be mixed with data items: write name@\(path) for a part of a form"
            )
        }
        return PlannedBody(
            body: .file(LiteralPath.url(path)),
            mediaType: mediaType ?? MediaTypeGuess.mediaType(ofPath: path),
            accept: "*/*"
        )
    }

    private func jsonBody() throws(CommandFailure) -> PlannedBody {
        PlannedBody(
            body: .data(try self.document("JSON").serialized()),
            mediaType: "application/json",
            accept: PlannedBody.acceptJSON
        )
    }

    private func propertyListBody() throws(CommandFailure) -> PlannedBody {
        let serializer = PropertyListRequestSerializer()
        let parameters = try Self.parameters(try self.document("a property list"))
        try Self.checkNumbers(parameters)
        do throws(SerializationError) {
            return PlannedBody(body: try serializer.body(from: parameters), mediaType: serializer.contentType)
        } catch {
            throw .usage("the items make no property list: \(error.reason)")
        }
    }

    /// Builds the JSON document from the items.
    private func document(_ format: String) throws(CommandFailure) -> JSONValue {
        var values: [(path: KeyPath, value: JSONValue)] = []
        for item in self.items.data {
            switch item.content {
            case .text(let text): values.append((try KeyPath(item.name), .string(text)))
            case .json(let bytes, let origin):
                values.append((try KeyPath(item.name), try JSONDocument.parse(bytes, from: origin)))
            case .file(let path, _):
                throw .usage(
                    "\(format) cannot hold the file “\(path)”: upload it with --form, or put its text into a field with “\(item.name)=@\(path)”"
                )
            }
        }
        return try JSONDocument.make(of: values)
    }

    private func formBody() throws(CommandFailure) -> PlannedBody {
        var pairs: [String] = []
        for item in self.items.data {
            pairs.append(try FormPair.encode(item.name, item.formText()))
        }
        return PlannedBody(body: .data(Data(pairs.joined(separator: "&").utf8)), mediaType: Self.formMediaType)
    }

    private func multipartBody() throws(CommandFailure) -> PlannedBody {
        var form = MultipartFormData(boundary: self.options.boundary)
        for item in self.items.data {
            guard case .file(let path, let mediaType) = item.content else {
                form.append(Data(try item.formText().utf8), name: item.name)
                continue
            }
            let type = mediaType ?? MediaTypeGuess.mediaType(ofPath: path)
            do throws(SerializationError) {
                try form.append(file: LiteralPath.url(path), name: item.name, contentType: type)
            } catch {
                throw .usage("“\(path)” cannot be uploaded: \(error.reason)")
            }
        }
        do throws(SerializationError) {
            // An invalid boundary is reported when a reader of the form is created.
            _ = try form.makeReader()
        } catch {
            throw .usage("the form cannot be sent: \(error.reason)")
        }
        return PlannedBody(body: .multipart(form), mediaType: form.contentType, boundary: form.boundary)
    }

    private func pipedBody() throws(CommandFailure) -> PlannedBody {
        guard !self.options.ignoreStdin, self.console.input.isPiped else {
            return PlannedBody(accept: self.emptyAccept)
        }
        guard let body = try PipedBody(self.console).body(asItComes: self.streamsInput) else {
            return PlannedBody(accept: self.emptyAccept)
        }
        return PlannedBody(body: body, mediaType: self.untypedMediaType, accept: self.rawAccept)
    }

    /// Refuses standard input with content beside a form without items, which would not contain it.
    private func refuseInput() throws(CommandFailure) {
        guard !self.options.ignoreStdin, self.console.input.isPiped else { return }
        guard try PipedBody(self.console).body(asItComes: true) == nil else {
            throw .usage(
                "--multipart makes a form of data items, and there are none: write name=value, or leave out --multipart to send standard input"
            )
        }
    }

    private var emptyAccept: String { self.options.json ? PlannedBody.acceptJSON : "*/*" }
}

extension RequestItems.DataItem {
    /// Whether the item is a file to upload.
    var isUpload: Bool { if case .file = self.content { true } else { false } }

    /// Returns the item as a form value: JSON strings without their quotes, other JSON as its text.
    ///
    /// - Throws: `CommandFailure` for malformed JSON.
    func formText() throws(CommandFailure) -> String {
        switch self.content {
        case .text(let text): return text
        case .json(let bytes, let origin):
            let value = try JSONDocument.parse(bytes, from: origin)
            if case .string(let text) = value { return text }
            return value.description
        case .file(let path, _): return path
        }
    }
}
