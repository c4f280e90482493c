// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials
public import HTTPTypes

extension MultipartFormData {
    /// Adds bytes in memory as a field or a file.
    ///
    /// In names, `"`, CR, LF and NUL become `%22`, `%0D`, `%0A` and `%00`, as in browsers; everything else is encoded
    /// as UTF-8. A name with another control character except the tab, or a content type with any of them, makes
    /// ``makeReader()`` throw ``SerializationError/Code/invalidHeader``.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name of the field.
    ///   - filename: The name of the file; nil for a plain field.
    ///   - contentType: The media type; omitted if nil.
    public mutating func append(_ data: Data, name: String, filename: String? = nil, contentType: String? = nil) {
        do throws(SerializationError) {
            try self.appendChecked(data, name: name, filename: filename, contentType: contentType)
        } catch {
            self.remember(error)
        }
    }

    /// Adds bytes in memory, and throws what the public function remembers.
    mutating func appendChecked(
        _ data: Data,
        name: String,
        filename: String? = nil,
        contentType: String? = nil
    ) throws(SerializationError) {
        try self.append(
            try BodyPart(
                headers: self.headers(name: name, filename: filename, contentType: contentType),
                contentLength: Int64(data.count),
                label: Self.label(name),
                source: .data(data)
            )
        )
    }

    /// Adds text as a plain field.
    ///
    /// - Parameters:
    ///   - text: The text, written as UTF-8.
    ///   - name: The name of the field.
    ///   - contentType: The media type, for example of a JSON document; omitted if nil.
    public mutating func append(_ text: String, name: String, contentType: String? = nil) {
        self.append(Data(text.utf8), name: name, contentType: contentType)
    }

    /// Adds a file.
    ///
    /// Its size is determined now, and it is opened when the part is reached. If the size has changed by then, sending
    /// fails.
    ///
    /// - Parameters:
    ///   - file: The file URL of a regular file.
    ///   - name: The name of the field.
    ///   - filename: The name of the file; the last component of its path unless given.
    ///   - contentType: The media type; derived from the path's extension unless given, see
    ///     ``MediaType/type(forPathExtension:)``.
    /// - Throws: ``SerializationError/Code/invalidURL`` for a URL that is not a file URL, ``SerializationError/Code/fileNotFound``,
    ///   ``SerializationError/Code/notARegularFile`` for directories, sockets, pipes and devices,
    ///   ``SerializationError/Code/fileNotReadable``, ``SerializationError/Code/invalidHeader`` for the content type. The form is unchanged then.
    public mutating func append(
        file: URL,
        name: String,
        filename: String? = nil,
        contentType: String? = nil
    ) throws(SerializationError) {
        let byteCount = try OpenFile(file).byteCount()
        let headers = self.headers(
            name: name,
            filename: filename ?? file.lastPathComponent,
            contentType: contentType ?? MediaType.type(forPathExtension: file.pathExtension)
        )
        try self.append(
            try BodyPart(headers: headers, contentLength: byteCount, label: Self.label(name), source: .file(file))
        )
    }

    /// Adds bytes from a custom reader.
    ///
    /// - Parameters:
    ///   - length: The number of bytes that every reader returns; any other number fails the request.
    ///   - name: The name of the field.
    ///   - filename: The name of the file; nil for a plain field.
    ///   - contentType: The media type; omitted if nil.
    ///   - isReplayable: Whether `makeReader` may be called more than once; yes unless given.
    ///   - makeReader: Makes a reader that starts at the first byte; called when the part is reached.
    /// - Throws: ``SerializationError/Code/lengthMismatch`` for a negative length, ``SerializationError/Code/invalidHeader`` for the
    ///   content type, ``SerializationError/Code/limitExceeded`` if the form would be longer than 2^63 bytes. The form is unchanged then.
    public mutating func append(
        length: Int64,
        name: String,
        filename: String? = nil,
        contentType: String? = nil,
        isReplayable: Bool = true,
        makeReader: @escaping @Sendable () throws -> any BodyReader
    ) throws(SerializationError) {
        try self.append(
            try BodyPart(
                headers: self.headers(name: name, filename: filename, contentType: contentType),
                contentLength: length,
                label: Self.label(name),
                source: .stream(isReplayable: isReplayable, makeReader: makeReader)
            )
        )
    }

    /// Adds a reader that can be read once; the form is not replayable from then on.
    ///
    /// - Parameters:
    ///   - reader: The reader.
    ///   - length: The number of bytes it returns.
    ///   - name: The name of the field.
    ///   - filename: The name of the file; nil for a plain field.
    ///   - contentType: The media type; omitted if nil.
    /// - Throws: The errors of the overload with `makeReader`; reading a second time fails with
    ///   ``SerializationError/Code/bodyNotReplayable``.
    public mutating func append(
        reader: some BodyReader,
        length: Int64,
        name: String,
        filename: String? = nil,
        contentType: String? = nil
    ) throws(SerializationError) {
        let source = SingleUseReader(reader)
        try self.append(
            length: length,
            name: name,
            filename: filename,
            contentType: contentType,
            isReplayable: false,
            makeReader: { try source.take() }
        )
    }

    /// Adds bytes with custom header fields, given as literals.
    ///
    /// They are sent in the order Content-Disposition, Content-Type, others as given.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - headers: The header fields; values are encoded as UTF-8.
    /// - Throws: ``SerializationError/Code/invalidHeader`` for a name that is not a token, or a value with CR, LF, NUL
    ///   or another control character. The form is unchanged then.
    public mutating func append(
        _ data: Data,
        headers: KeyValuePairs<String, String>
    ) throws(SerializationError) {
        try self.append(data, headers: headers.map { BodyPart.Header(name: $0.key, value: $0.value) })
    }

    /// Adds bytes with header fields that are built at run time.
    ///
    /// They are sent in the order Content-Disposition, Content-Type, others as given.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - headers: The header fields; values are encoded as UTF-8. `HTTPFields` itself replaces control characters in
    ///     values by spaces.
    /// - Throws: ``SerializationError/Code/limitExceeded`` if the form would be longer than 2^63 bytes. The form is
    ///   unchanged then.
    public mutating func append(_ data: Data, headers: HTTPFields) throws(SerializationError) {
        try self.append(data, headers: headers.map { BodyPart.Header(name: $0.name.rawName, value: $0.value) })
    }

    private mutating func append(_ data: Data, headers all: [BodyPart.Header]) throws(SerializationError) {
        func rank(_ header: BodyPart.Header) -> Int {
            switch header.name.asciiLowercased {
            case "content-disposition": 0
            case "content-type": 1
            default: 2
            }
        }
        let ordered = (0...2).flatMap { wanted in all.filter { rank($0) == wanted } }
        try self.append(
            try BodyPart(
                headers: ordered,
                contentLength: Int64(data.count),
                label: "part \(self.parts.count + 1)",
                source: .data(data)
            )
        )
    }

    private func headers(name: String, filename: String?, contentType: String?) -> [BodyPart.Header] {
        let disposition = ContentDisposition.formData(
            name: name,
            filename: filename,
            addsExtendedFilename: self.addsExtendedFilenames
        )
        var headers = [BodyPart.Header(name: "Content-Disposition", value: disposition)]
        if let contentType { headers.append(BodyPart.Header(name: "Content-Type", value: contentType)) }
        return headers
    }

    private static func label(_ name: String) -> String { "part “\(name)”" }
}
