// swift-tools-version: 6.2
// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, so that users of the library do not resolve or build Hummingbird.
let package = Package(
    name: "relay-service",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "bluebonnet", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .target(
            name: "RelayService",
            dependencies: [
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "BluebonnetTransport", package: "bluebonnet"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "relay-service",
            dependencies: ["RelayService", .product(name: "NIOPosix", package: "swift-nio")]
        ),
        .testTarget(
            name: "RelayServiceTests",
            dependencies: [
                "RelayService",
                .product(name: "Bluebonnet", package: "bluebonnet"),
                .product(name: "BluebonnetTesting", package: "bluebonnet"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
    ]
)
