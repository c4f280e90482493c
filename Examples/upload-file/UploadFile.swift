// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Sends a file of any size as part of a form; the file is read while it is sent.
///
///     swift run upload-file https://example.com/photos picture.jpg "A field of bluebonnets"
@main
struct UploadFile {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else {
            print("usage: upload-file URL FILE [CAPTION]")
            exit(64)
        }
        do {
            let caption = arguments.count > 2 ? arguments[2] : nil
            let response = try await Self.send(URL(filePath: arguments[1]), caption: caption, to: arguments[0])
            print(String(decoding: response, as: UTF8.self))
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Sends a file and a caption, and returns the server's response.
    static func send(_ file: URL, caption: String?, to address: String) async throws -> Data {
        var form = MultipartFormData()
        // The name and the media type are determined by the path.
        try form.append(file: file, name: "photo")
        return try await HTTPSession().post(address, parameters: ["caption": caption], multipart: form).body
    }
}
