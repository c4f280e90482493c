// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "garden",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../bluebonnet")
    ],
    targets: [
        .executableTarget(name: "garden", dependencies: [.product(name: "Bluebonnet", package: "bluebonnet")]),
        .testTarget(
            name: "GardenTests",
            dependencies: ["garden", .product(name: "BluebonnetTesting", package: "bluebonnet")]
        ),
    ]
)
