// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CommandLineTool {
    /// Carries out the command line of this process, and ends it.
    ///
    /// Ctrl-C cancels the work, so that connections are closed and partial files removed, and the process ends with 130.
    public static func main() async -> Never {
        // A reader that has gone is an error of writing, and no reason to die without a word.
        signal(SIGPIPE, SIG_IGN)
        self.openMissingDescriptors()
        let arguments = CommandLine.arguments
        let console = Console.process(programPath: arguments.first ?? "bluebonnet")
        // The only task of the process; it is waited for below.
        let work = Task { await self.run(Array(arguments.dropFirst()), console: console) }
        Interrupts.cancel(work)
        let status = await work.value
        exit(status.rawValue)
    }

    /// Puts /dev/null where a standard descriptor was closed, so that no socket or file takes its number.
    private static func openMissingDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is given out, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}

extension Console {
    /// The console of this process.
    static func process(programPath: String) -> Console {
        Console(
            input: FileDescriptorSource.standardInput,
            output: FileDescriptorSink.standardOutput,
            errors: FileDescriptorSink.standardError,
            environment: Self.processEnvironment,
            programPath: programPath,
            readSecret: { SecretPrompt.read($0) }
        )
    }

    private static var processEnvironment: [String: String] {
        var variables: [String: String] = [:]
        for name in ["HOME", "TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "TMPDIR"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
