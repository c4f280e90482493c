// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The command line client as a process.
enum CommandLineClient {
    /// What a process left behind.
    struct Result: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Where it is: beside the test bundle, unless `BLUEBONNET_PROGRAM` names another (`make test-program`).
    private static var program: URL {
        let folder = Bundle.module.bundleURL.deletingLastPathComponent()
        let path = ProcessInfo.processInfo.environment["BLUEBONNET_PROGRAM"]
        return path.map { URL(filePath: $0) } ?? folder.appending(path: "bluebonnet")
    }

    /// Runs it to its end, without the variables of the environment, which could name proxies and roots.
    static func run(_ arguments: [String]) async throws -> Result {
        let child = Process()
        child.executableURL = Self.program
        child.arguments = arguments
        child.environment = ["PATH": "/usr/bin:/bin"]
        let (output, errors) = (Pipe(), Pipe())
        child.standardInput = FileHandle.nullDevice
        child.standardOutput = output
        child.standardError = errors
        try child.run()
        async let written = Self.text(of: output.fileHandleForReading)
        async let reported = Self.text(of: errors.fileHandleForReading)
        let texts = await (written, reported)
        child.waitUntilExit()
        return Result(status: child.terminationStatus, output: texts.0, errors: texts.1)
    }

    /// Reads to the end, on a thread that may wait.
    private static func text(of handle: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = (try? handle.readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
