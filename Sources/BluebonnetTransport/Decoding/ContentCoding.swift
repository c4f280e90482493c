// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The supported content codings (RFC 9110 section 8.4.1).
enum ContentCoding: Hashable, Sendable, CaseIterable {
    case gzip
    case deflate
    #if Brotli
    case brotli
    #endif
    #if Zstandard
    case zstandard
    #endif

    /// Creates the coding with this case-insensitive name; nil if it is not supported.
    init?(name: some StringProtocol) {
        switch name.asciiLowercased {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        #if Brotli
        case "br": self = .brotli
        #endif
        #if Zstandard
        case "zstd": self = .zstandard
        #endif
        default: return nil
        }
    }

    /// The name in Content-Encoding and Accept-Encoding.
    var name: String {
        switch self {
        case .gzip: "gzip"
        case .deflate: "deflate"
        #if Brotli
        case .brotli: "br"
        #endif
        #if Zstandard
        case .zstandard: "zstd"
        #endif
        }
    }

    /// Makes a decoder for this coding.
    func makeDecoder() -> any ContentDecoder {
        switch self {
        case .gzip: ZlibDecoder(.gzip)
        case .deflate: ZlibDecoder(.deflate)
        #if Brotli
        case .brotli: BrotliDecoder()
        #endif
        #if Zstandard
        case .zstandard: ZstandardDecoder()
        #endif
        }
    }
}

extension TransportRequest {
    /// The names of the codings that ``decodesContent`` decodes, for Accept-Encoding.
    ///
    /// gzip and deflate always; br and zstd where the package was built with the traits `Brotli` and `Zstandard`.
    public static let decodableCodings: [String] = ContentCoding.allCases.map(\.name)
}
