// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The run of a process that a test may have killed with SIGKILL, at a moment that it chose.
public struct KilledChild: Sendable {
    /// The lines that it wrote to its standard output; one without its end was not said.
    public let lines: [String]

    /// Its exit status, or the signal that ended it.
    public let status: Int32

    /// Whether a signal ended it.
    public let wasKilled: Bool

    /// Runs a program to its end, or kills it after some lines of its output.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - arguments: Its arguments.
    ///   - lineCount: The number of lines after which it is killed; nil lets it come to its end.
    /// - Throws: An error of Foundation if it cannot be run.
    @concurrent
    public init(_ program: URL, _ arguments: [String], killedAfter lineCount: Int?) async throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        // What the thread sanitizer needs is there, too.
        process.environment = ProcessInfo.processInfo.environment.merging(["no_proxy": "*"]) { $1 }
        try process.run()
        var (text, count) = (Data(), 0)
        while lineCount.map({ count < $0 }) ?? true, let data = try output.fileHandleForReading.read(upToCount: 16) {
            text.append(data)
            count += data.count { $0 == UInt8(ascii: "\n") }
        }
        if lineCount != nil, process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex
        self.lines = text[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        self.status = process.terminationStatus
        self.wasKilled = process.terminationReason == .uncaughtSignal
    }
}
