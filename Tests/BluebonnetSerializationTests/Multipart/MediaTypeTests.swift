// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("jpg", "image/jpeg"), ("JPEG", "image/jpeg"), ("png", "image/png"), ("heic", "image/heic"),
        ("webp", "image/webp"),
        ("mp4", "video/mp4"), ("mov", "video/quicktime"), ("mp3", "audio/mpeg"), ("pdf", "application/pdf"),
        ("txt", "text/plain"), ("csv", "text/csv"), ("json", "application/json"), ("zip", "application/zip"),
        ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("gz", "application/gzip"), ("html", "text/html"), ("svg", "image/svg+xml"),
        ("", "application/octet-stream"), ("nonsense", "application/octet-stream"), ("ÄÖ", "application/octet-stream"),
    ])
    func `1.1.9 types by extension`(_ pathExtension: String, _ type: String) {
        #expect(MediaType.type(forPathExtension: pathExtension) == type)
    }

    @Test func `1.1.9 a file part takes its name and type from the path unless they are given`() throws {
        let directory = try TemporaryDirectory()
        var form = MultipartFormData()
        try form.append(file: directory.makeFile("Bild ü.PNG", [1]), name: "a")
        try form.append(file: directory.makeFile("README", [1]), name: "b")
        try form.append(file: directory.makeFile("x.txt", [1]), name: "c", filename: "other", contentType: "a/b")
        #expect(
            form.parts.map { $0.headers.map(\.value) } == [
                ["form-data; name=\"a\"; filename=\"Bild ü.PNG\"", "image/png"],
                ["form-data; name=\"b\"; filename=\"README\"", "application/octet-stream"],
                ["form-data; name=\"c\"; filename=\"other\"", "a/b"],
            ]
        )
    }
}
