// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Logging

/// Keeps log records in memory.
struct RecordingLogHandler: LogHandler {
    struct Record: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: Logger.Metadata

        /// The value of a key as a log prints it.
        subscript(key: String) -> String? { self.metadata[key]?.description }

        /// Everything in it, as a handler would write it.
        var text: String { "\(self.level) \(self.message) \(self.metadata)" }
    }

    let records: Recorder<Record>
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        self.records.record(
            Record(level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
        )
    }
}

extension Recorder where Element == RecordingLogHandler.Record {
    /// A logger that records here.
    func logger(level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in RecordingLogHandler(records: self) }
        logger.logLevel = level
        return logger
    }
}
