// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension RequestBody {
    /// Makes a reader that starts at the first byte.
    ///
    /// The reader checks the number of bytes: a file whose size changes while it is read, or a stream that returns more
    /// or fewer bytes than its length, fails with ``SerializationError/Code/lengthMismatch``. A reader that claims a
    /// negative number of bytes, or more than its buffer holds, fails with ``SerializationError/Code/readFailed``.
    ///
    /// - Returns: A new reader for every call.
    /// - Throws: ``SerializationError/Code/fileNotFound``, ``SerializationError/Code/notARegularFile`` or
    ///   ``SerializationError/Code/fileNotReadable`` for a file; ``SerializationError/Code/bodyNotReplayable`` for a
    ///   body that can be read only once and has been; ``SerializationError/Code/lengthMismatch`` for a stream with a
    ///   negative length; ``SerializationError/Code/readFailed`` around an error of the stream's `makeReader`.
    public func makeReader() throws(SerializationError) -> any BodyReader {
        switch self {
        case .none:
            return DataReader(Data())
        case .data(let data):
            return DataReader(data)
        case .file(let url):
            return try FileReader(url)
        case .multipart(let form):
            return try form.makeReader()
        case .stream(let length, _, let makeReader):
            if let length, length < 0 {
                throw SerializationError(.lengthMismatch, reason: "the length of the request body is negative")
            }
            let reader = try Self.read("the request body", from: makeReader)
            // Every stage that reads the body relies on this check: none of them needs its own.
            guard let length else { return CountCheckingReader(reader, subject: "the request body") }
            return LengthCheckingReader(reader, length: length, subject: "the request body")
        }
    }

    /// Reads the whole body into memory.
    ///
    /// Blocks while it reads. The throttle of a form does not apply.
    ///
    /// - Parameter limit: The largest number of bytes to accept: 16 MiB unless given.
    /// - Returns: The bytes.
    /// - Throws: ``SerializationError/Code/limitExceeded`` if there are more; otherwise the errors of ``makeReader()``
    ///   and its reader.
    public func collect(upTo limit: Int = 16 * 1_024 * 1_024) throws(SerializationError) -> Data {
        var all = Data()
        try self.readAll { (bytes) throws(SerializationError) in
            guard all.count + bytes.count <= limit else {
                throw SerializationError(.limitExceeded, reason: "the request body is longer than \(limit) bytes")
            }
            all.append(contentsOf: bytes)
        }
        return all
    }

    /// Writes the whole body to a file, atomically: the file is either complete or absent.
    ///
    /// The bytes are written to a temporary file in the same directory, which is renamed to the destination at the end,
    /// or removed if an error occurs. Blocks while it reads and writes; in an `async` function, the overload that does
    /// not block is called instead. The throttle of a form does not apply.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - replacesExisting: Whether an existing file is replaced; no unless given.
    /// - Returns: The number of bytes written.
    /// - Throws: ``SerializationError/Code/fileNotWritable`` if the file cannot be written or already exists; otherwise
    ///   the errors of ``makeReader()`` and its reader.
    @discardableResult
    public func write(to url: URL, replacesExisting: Bool = false) throws(SerializationError) -> Int64 {
        var file = try BodyFile(destination: url, replacesExisting: replacesExisting)
        try self.readAll { (bytes) throws(SerializationError) in try file.write(bytes) }
        return try file.commit()
    }

    private func readAll(
        _ body: (UnsafeRawBufferPointer) throws(SerializationError) -> Void
    ) throws(SerializationError) {
        var reader = try self.unthrottled.makeReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1_024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.readChecked(into: buffer, subject: "the request body")
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The body without the throttle of a form, which applies to sending only.
    var unthrottled: RequestBody {
        if case .multipart(let form) = self { .multipart(form.unthrottled) } else { self }
    }

    /// Calls a reader factory and converts its error.
    static func read(
        _ subject: String,
        from makeReader: @Sendable () throws -> any BodyReader
    ) throws(SerializationError) -> any BodyReader {
        do {
            return try makeReader()
        } catch let error as SerializationError {
            throw error
        } catch {
            throw SerializationError(.readFailed, reason: "\(subject) cannot be opened", underlying: error)
        }
    }
}
