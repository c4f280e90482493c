// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension MultipartFormData {
    /// Adds parameters as plain fields, one part per value.
    ///
    /// The names are those of a query, `a[b][]`, without escaping. Data is encoded as its bytes, null as no bytes,
    /// everything else as its text.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary.
    ///   - format: How arrays, nested keys, Booleans and null are encoded.
    ///   - encoding: The encoding of the texts: UTF-8 unless given.
    /// - Throws: ``SerializationError/Code/invalidParameters`` if the parameters are not a dictionary,
    ///   ``SerializationError/Code/limitExceeded`` if they are nested too deeply or the form would be longer than 2^63
    ///   bytes, ``SerializationError/Code/unsupportedCharset`` for text that the encoding cannot represent,
    ///   ``SerializationError/Code/invalidHeader`` for a name with a control character other than CR, LF, NUL and the
    ///   tab. The form is unchanged then.
    public mutating func append(
        parameters: ParameterValue,
        format: QueryFormat = QueryFormat(),
        encoding: TextEncoding = .utf8
    ) throws(SerializationError) {
        var flattener = ParameterFlattener(
            sink: FieldCollector(format: format, encoding: encoding),
            format: format,
            table: .identity
        )
        try flattener.flatten(parameters)
        var form = self
        for field in flattener.sink.fields { try form.appendChecked(field.data, name: field.name) }
        self = form
    }

    /// Adds a literal of variables as plain fields, one part per value; a nil value omits its key.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - encoder: The encoder of the values; the default one unless given.
    ///   - format: How arrays, nested keys, Booleans and null are encoded.
    ///   - encoding: The encoding of the texts: UTF-8 unless given.
    /// - Throws: ``SerializationError`` as ``ParameterEncoder/encode(_:)`` and ``append(parameters:format:encoding:)``
    ///   do. The form is unchanged then.
    @_disfavoredOverload
    public mutating func append(
        parameters: Parameters,
        encoder: ParameterEncoder = ParameterEncoder(),
        format: QueryFormat = QueryFormat(),
        encoding: TextEncoding = .utf8
    ) throws(SerializationError) {
        try self.append(parameters: try encoder.encode(parameters), format: format, encoding: encoding)
    }
}

/// Collects the fields of parameters.
private struct FieldCollector: FlatParameterSink, ~Copyable {
    let format: QueryFormat
    let encoding: TextEncoding
    var fields: [(name: String, data: Data)] = []

    init(format: QueryFormat, encoding: TextEncoding) {
        self.format = format
        self.encoding = encoding
    }

    mutating func append(
        key: UnsafeBufferPointer<UInt8>,
        value: ParameterValue
    ) throws(SerializationError) {
        let name = String(decoding: key, as: UTF8.self)
        switch value {
        case .data(let data):
            self.fields.append((name, data))
        case .null where self.format.nulls == .dropKey:
            break
        case .null where self.format.nulls == .null:
            self.fields.append((name, try self.encoding.encode("null")))
        default:
            self.fields.append((name, try self.encoding.encode(try value.text(bools: self.format.bools))))
        }
    }
}
