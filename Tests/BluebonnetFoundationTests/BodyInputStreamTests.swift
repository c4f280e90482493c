// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFoundation
import BluebonnetSerialization
import BluebonnetTesting
import Foundation
import FoundationNetworking
import HTTPTypes
import Testing

@Suite struct BodyInputStreamTests {
    private func read(_ stream: InputStream, chunk: Int) -> (data: Data, last: Int) {
        stream.open()
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = stream.read(&buffer, maxLength: chunk)
            if count <= 0 { return (data, count) }
            data.append(contentsOf: buffer[..<count])
        }
    }

    private struct OneByte: BodyReader {
        var left: Int

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            guard self.left > 0 else { return 0 }
            self.left -= 1
            buffer[0] = UInt8(truncatingIfNeeded: self.left)
            return 1
        }
    }

    @Test(arguments: [1, 7, 64, 1_000, 100_000])
    func `gives the same bytes as the body`(chunk: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-stream-\(UUID())")
        try Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 3) }).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var form = MultipartFormData()
        form.append("value", name: "field")
        try form.append(file: file, name: "file")
        try form.append(length: 300, name: "stream") { OneByte(left: 300) }
        for body in [RequestBody.multipart(form), .file(file), .data(Data([1, 2, 3])), .none] {
            let stream = BodyInputStream(body)
            #expect(stream.streamStatus == .notOpen)
            let result = self.read(stream, chunk: chunk)
            #expect(result.data == (try body.collect()))
            #expect(result.last == 0)
            #expect(stream.contentLength == Int64(result.data.count))
            #expect(stream.streamStatus == .atEnd)
            #expect(stream.streamError == nil)
            #expect(!stream.hasBytesAvailable)
            stream.close()
            #expect(stream.streamStatus == .closed)
        }
    }

    @Test func `a body that cannot be opened or read gives an error, not an end`() throws {
        #expect(BodyInputStream(.stream(length: nil, makeReader: { OneByte(left: 3) })).contentLength == nil)
        let missing = BodyInputStream(.file(URL(filePath: "/nonexistent")))
        #expect(self.read(missing, chunk: 10).last == -1)
        #expect(missing.streamStatus == .error)
        #expect((missing.streamError as? SerializationError)?.code == .fileNotFound)
        let short = BodyInputStream(.stream(length: 5, makeReader: { OneByte(left: 3) }))
        let result = self.read(short, chunk: 10)
        #expect(result.data.count == 3)
        #expect(result.last == -1)
        #expect((short.streamError as? SerializationError)?.code == .lengthMismatch)
    }

    @Test(.bug(id: "F500"), .timeLimit(.minutes(1)))
    func `the sample of the documentation is accepted by a server`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .ok))
            var form = MultipartFormData()
            form.append("value", name: "field")
            var request = URLRequest(url: try #require(URL(string: "\(server.url)/form")))
            request.httpMethod = "POST"
            request.httpBodyStream = BodyInputStream(.multipart(form))
            request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
            let session = URLSession(configuration: .ephemeral)
            defer { session.finishTasksAndInvalidate() }
            let (_, response) = try await session.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            let seen = try await server.takeRequest()
            #expect(seen.headers[.contentLength] == nil)
            #expect(seen.bodyText.contains("value"))
            #expect(server.takeFailures().isEmpty)
        }
    }

    @Test func `does nothing before it is opened and after it is closed`() {
        let stream = BodyInputStream(.data(Data([1])))
        var byte: UInt8 = 0
        #expect(stream.read(&byte, maxLength: 1) == 0)
        stream.open()
        stream.open()
        #expect(stream.hasBytesAvailable)
        #expect(stream.read(&byte, maxLength: 0) == 0)
        stream.close()
        stream.open()
        #expect(stream.streamStatus == .closed)
        #expect(stream.read(&byte, maxLength: 1) == 0)
    }
}
