// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
package import HTTPTypes

/// The content codings that the body of a response still has: a decoded response has no Content-Encoding field.
extension HTTPFields {
    /// The names of the content codings in lower case, without `identity`, which is none (RFC 9110 section 12.5.3).
    package var contentCodings: [String] {
        self[values: .contentEncoding].flatMap { $0.utf8.split { $0.isBlank || $0 == UInt8(ascii: ",") } }
            .map { String(Substring($0)).asciiLowercased }
            .filter { $0 != "identity" }
    }

    /// Whether the body is compressed, or encoded in another way.
    package var hasContentCoding: Bool { !self.contentCodings.isEmpty }

    /// The names of the codings that are known to change bytes, separated by commas; nil if there are none.
    ///
    /// Servers also name here what is no coding, such as `utf-8` or `aws-chunked`, while the body is plain.
    package var knownContentCodings: String? {
        let names = self.contentCodings.filter(Self.knownCodings.contains)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// What an error about the format of the body begins with; nil if the body has no content coding.
    var contentCodingRemark: String? {
        if let names = self.knownContentCodings {
            return "the body has the content coding \(names), which was not decoded"
        }
        return self.hasContentCoding ? "the body has a content coding that is not known" : nil
    }

    /// The names in the IANA registry, and three more that are in use.
    private static let knownCodings: Set<String> = [
        "aes128gcm", "br", "bzip2", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "lzma", "pack200-gzip",
        "x-compress", "x-gzip", "xz", "zstd",
    ]
}
