// swift-tools-version: 6.2
// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// In CI no warning survives, and everything that can be left out is built and tested.
let isChecked = Context.environment["BLUEBONNET_CI"] != nil

let package = Package(
    name: "bluebonnet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Bluebonnet", targets: ["Bluebonnet"]),
        .library(name: "BluebonnetConfiguration", targets: ["BluebonnetConfiguration"]),
        .library(name: "BluebonnetDiskCache", targets: ["BluebonnetDiskCache"]),
        .library(name: "BluebonnetFoundation", targets: ["BluebonnetFoundation"]),
        .library(name: "BluebonnetImages", targets: ["BluebonnetImages"]),
        .library(name: "BluebonnetSerialization", targets: ["BluebonnetSerialization"]),
        .library(name: "BluebonnetTransport", targets: ["BluebonnetTransport"]),
        .library(name: "BluebonnetTesting", targets: ["BluebonnetTesting"]),
        .library(name: "BluebonnetXML", targets: ["BluebonnetXML"]),
        .executable(name: "bluebonnet", targets: ["bluebonnet"]),
    ],
    traits: [
        .trait(name: "Brotli", description: "Decodes responses in Brotli (br) with the system's libbrotlidec."),
        .trait(
            name: "Zstandard",
            description: "Decodes responses in Zstandard (zstd), and encodes bodies, with the system's libzstd."
        ),
        .trait(
            name: "ImageCodecs",
            description: "Decodes JPEG, PNG, TIFF and WebP in BluebonnetImages with the system's libraries."
        ),
        .trait(name: "HEIF", description: "Decodes AVIF and HEIC in BluebonnetImages with the system's libheif."),
        .default(enabledTraits: isChecked ? ["Brotli", "HEIF", "ImageCodecs", "Zstandard"] : []),
    ],
    dependencies: [
        // The command line: options, help, exit codes.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // The PEM form of the test server's certificates; already in the graph below swift-certificates.
        .package(url: "https://github.com/apple/swift-asn1", from: "1.1.0"),
        // Certificates: the engine can verify chains with them, the test server makes its own.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.10.0"),
        // Settings of sessions, for the one product that reads them. Without its traits it builds swift-system and a part of swift-collections.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        // PKCS #12 files, digests of downloads, and the keys of the test server's certificates; already in the graph below swift-certificates.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        // Spans of exchanges, for whatever tracer the program has chosen; without dependencies of its own.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        // Methods, fields and status codes, shared with the rest of the ecosystem.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        // Log records of sessions and of the engine.
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        // Counters of the engine's pool and of sessions, for whatever backend the program has chosen.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        // Sockets, event loops and byte buffers under the engine.
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
        // For the tests alone: a server of resumable uploads that others have written.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        // HTTP/2 framing and header compression under the engine.
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.38.0"),
        // TLS under the engine.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ],
    targets: [
        // What the C library knows of a file system and the standard modules do not offer.
        .systemLibrary(name: "CFileSystem"),
        // Files, numbers, percent-encoded text and Punycode, byte by byte, for every other target: no product, nothing but the C library.
        .target(name: "BluebonnetFiles", dependencies: ["CFileSystem"]),
        .target(
            name: "BluebonnetSerialization",
            dependencies: ["BluebonnetFiles", .product(name: "HTTPTypes", package: "swift-http-types")]
        ),
        // Bodies and progress for code that wants Foundation's classes; a target of its own, because it links all of Foundation.
        .target(name: "BluebonnetFoundation", dependencies: ["Bluebonnet", "BluebonnetSerialization"]),
        // XML responses for Foundation's XMLParser; a target of its own, because it links Foundation and its XML library, which
        // the core does without.
        .target(
            name: "BluebonnetXML",
            dependencies: [
                "BluebonnetSerialization",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // The system's zlib, for responses that come compressed.
        .systemLibrary(name: "CZlib"),
        // The system's decoders of two more codings, for those who ask for them with a trait.
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstandard", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(
            name: "BluebonnetTransport",
            dependencies: [
                "BluebonnetFiles",
                .target(name: "CBrotli", condition: .when(traits: ["Brotli"])),
                "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .target(name: "CZstandard", condition: .when(traits: ["Zstandard"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        // The Public Suffix List as data, which compiles in no time in C.
        .target(name: "CPublicSuffixes"),
        .target(
            name: "Bluebonnet",
            dependencies: [
                "BluebonnetFiles",
                "BluebonnetSerialization",
                "BluebonnetTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                "CPublicSuffixes",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        // Sessions from the settings of swift-configuration; a target of its own, so that nobody else builds that package.
        .target(
            name: "BluebonnetConfiguration",
            dependencies: [
                "Bluebonnet",
                "BluebonnetTransport",
                .product(name: "Configuration", package: "swift-configuration"),
            ]
        ),
        // The system's SQLite, for the cache on disk alone.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Stored responses on disk; a target of its own, because it links SQLite, which the core does without.
        .target(
            name: "BluebonnetDiskCache",
            dependencies: [
                "Bluebonnet",
                "BluebonnetFiles",
                "BluebonnetTransport",
                "CSQLite",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // The system's decoders of pictures behind one interface in C, for those who ask for them with a trait.
        .target(
            name: "CImageCodecs",
            cSettings: [
                .define("BLUEBONNET_IMAGE_CODECS", .when(traits: ["ImageCodecs"])),
                .define("BLUEBONNET_HEIF", .when(traits: ["HEIF"])),
            ],
            linkerSettings: [
                .linkedLibrary("jpeg", .when(traits: ["ImageCodecs"])),
                .linkedLibrary("png", .when(traits: ["ImageCodecs"])),
                .linkedLibrary("tiff", .when(traits: ["ImageCodecs"])),
                .linkedLibrary("webp", .when(traits: ["ImageCodecs"])),
                .linkedLibrary("webpdemux", .when(traits: ["ImageCodecs"])),
                .linkedLibrary("heif", .when(traits: ["HEIF"])),
            ]
        ),
        // Pictures in responses; a target of its own, because it links the system's decoders, which the core does without.
        .target(
            name: "BluebonnetImages",
            dependencies: [
                "Bluebonnet",
                "BluebonnetFiles",
                "BluebonnetSerialization",
                "CImageCodecs",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "BluebonnetTesting",
            dependencies: [
                "BluebonnetFiles",
                "BluebonnetSerialization",
                "BluebonnetTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .target(
            name: "BluebonnetCLI",
            dependencies: [
                "Bluebonnet",
                "BluebonnetFiles",
                "BluebonnetImages",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "bluebonnet",
            dependencies: [
                "BluebonnetCLI",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(name: "api-client", dependencies: ["Bluebonnet"], path: "Examples/api-client"),
        .executableTarget(name: "chat-reader", dependencies: ["Bluebonnet"], path: "Examples/chat-reader"),
        .executableTarget(
            name: "download-with-progress",
            dependencies: ["Bluebonnet"],
            path: "Examples/download-with-progress"
        ),
        .executableTarget(name: "json-get", dependencies: ["Bluebonnet"], path: "Examples/json-get"),
        .executableTarget(name: "pinned-client", dependencies: ["Bluebonnet"], path: "Examples/pinned-client"),
        .executableTarget(name: "resume-download", dependencies: ["Bluebonnet"], path: "Examples/resume-download"),
        .executableTarget(name: "resume-upload", dependencies: ["Bluebonnet"], path: "Examples/resume-upload"),
        .executableTarget(name: "transfer-queue", dependencies: ["Bluebonnet"], path: "Examples/transfer-queue"),
        .executableTarget(name: "upload-file", dependencies: ["Bluebonnet"], path: "Examples/upload-file"),
        .target(name: "TestSupport", path: "Tests/Support"),
        // What makes the responses that the tests decode.
        .systemLibrary(
            name: "CBrotliEncoder",
            path: "Tests/CBrotliEncoder",
            pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"])]
        ),
        .testTarget(name: "BluebonnetFilesTests", dependencies: ["BluebonnetFiles"]),
        .testTarget(
            name: "BluebonnetSerializationTests",
            dependencies: [
                "BluebonnetSerialization",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "BluebonnetFoundationTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetConfiguration",
                "BluebonnetDiskCache",
                "BluebonnetFoundation",
                "BluebonnetImages",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluebonnetXMLTests",
            dependencies: [
                "BluebonnetSerialization",
                "BluebonnetXML",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "BluebonnetTransportTests",
            dependencies: [
                "BluebonnetFiles",
                "BluebonnetTesting",
                "BluebonnetTransport",
                .target(name: "CBrotliEncoder", condition: .when(traits: ["Brotli"])),
                "CZlib",
                .target(name: "CZstandard", condition: .when(traits: ["Zstandard"])),
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "BluebonnetTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetFiles",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                "TestSupport",
                "resume-download",
                "transfer-queue",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            resources: [.copy("Fixtures")]
        ),
        // A process for the tests of the disk cache to kill.
        .executableTarget(
            name: "disk-cache-writer",
            dependencies: [
                "Bluebonnet",
                "BluebonnetDiskCache",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/DiskCacheWriter"
        ),
        .testTarget(
            name: "BluebonnetDiskCacheTests",
            dependencies: [
                "disk-cache-writer",
                "Bluebonnet",
                "BluebonnetDiskCache",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                "CSQLite",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluebonnetImagesTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetImages",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "BluebonnetConfigurationTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetConfiguration",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "BluebonnetTestingTests",
            dependencies: [
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "BluebonnetCLITests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetCLI",
                "BluebonnetImages",
                "BluebonnetSerialization",
                "BluebonnetTesting",
                "BluebonnetTransport",
                "TestSupport",
                "bluebonnet",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetTesting",
                "TestSupport",
                "api-client",
                "chat-reader",
                "download-with-progress",
                "json-get",
                "pinned-client",
                "upload-file",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "Bluebonnet",
                "BluebonnetSerialization",
                "BluebonnetTransport",
                "TestSupport",
                "bluebonnet",
                "resume-upload",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
            ],
            resources: [.copy("Servers")]
        ),
    ]
)

// The same settings for every target: what Swift 6 mode does not switch on by itself.
let strictSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let ciSettings: [SwiftSetting] =
    isChecked
    ? [
        .treatAllWarnings(as: .error),
        .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
    : []
for target in package.targets where target.type != .plugin && target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings + ciSettings
}
