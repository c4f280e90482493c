// swift-tools-version: 6.2
// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, so that users of the library do not resolve the dependencies of the benchmarks.
let package = Package(
    name: "bluebonnet-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "bluebonnet", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        // A peer; the version is pinned so that the results are reproducible.
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    ],
    targets: [
        // The clock, the resource counters and the workloads, shared by all peers.
        .target(name: "BenchmarkSupport"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // The options of the system's allocator, which Swift's Glibc module does not import.
        .systemLibrary(name: "CMalloc"),
        // One program per peer, so that each has its own process, libraries and memory.
        .executableTarget(
            name: "bench-ahc",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "bench-bluebonnet",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "BluebonnetSerialization", package: "bluebonnet"),
                .product(name: "BluebonnetTransport", package: "bluebonnet"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .executableTarget(name: "bench-curl", dependencies: ["CCurl"]),
        // The server that responds after one second.
        .executableTarget(
            name: "bench-delay",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(name: "bench-urlsession", dependencies: ["BenchmarkSupport"]),
        .executableTarget(
            name: "SessionBenchmarks",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "BluebonnetSerialization", package: "bluebonnet"),
                .product(name: "BluebonnetTransport", package: "bluebonnet"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "SerializationBenchmarks",
            dependencies: [
                "BenchmarkSupport",
                "CMalloc",
                .product(name: "BluebonnetSerialization", package: "bluebonnet"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
    ]
)
