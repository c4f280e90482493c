// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CommandLineTool {
    /// Runs the command line of this process, and ends the process.
    ///
    /// SIGINT (Ctrl-C), SIGTERM and SIGHUP cancel the command, which closes connections and removes partial files. The
    /// process then terminates by the signal.
    public static func main() async -> Never {
        // A closed pipe is reported as EPIPE by write, which has a message and an exit status.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that reaches the limit of the process (ulimit -f), as EFBIG: partial files are removed.
        signal(SIGXFSZ, SIG_IGN)
        self.openMissingDescriptors()
        let console = Console.process(programPath: CommandLine.arguments.first ?? "bluebonnet")
        self.requireDescriptors(console)
        self.requireThreads(console)
        // The only task of the process, which is awaited below.
        let work = Task { await self.run(self.processArguments, console: console) }
        guard Interrupts.cancel(work) else {
            self.refuse("signals cannot be waited for: no thread or no pipe can be made", console)
        }
        let status = await work.value
        Interrupts.endBySignal()
        exit(status.rawValue)
    }

    /// The arguments after the program's name; nil for one that is not UTF-8, which `CommandLine.arguments` repairs.
    private static var processArguments: [String?] {
        (1..<max(1, Int(CommandLine.argc))).map { index in
            CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
        }
    }

    /// Opens /dev/null for each standard descriptor that is closed, so that no socket or file gets its number.
    ///
    /// Standard output is opened for reading: writing to a closed one is an error.
    private static func openMissingDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The system assigns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    /// Ends the process, with a message, if it may open too few file descriptors to start.
    ///
    /// libdispatch opens some when the first task runs, and stops the process where it cannot.
    private static func requireDescriptors(_ console: Console) {
        // The pipe of signals, those of libdispatch and a file, and as many to spare.
        let count = 16
        let available = DescriptorLimit.available(upTo: count)
        guard available < count else { return }
        self.refuse(
            "\(count) file descriptors are needed to start, and only \(available) can be opened; raise the limit of the process (ulimit -n)",
            console
        )
    }

    /// Ends the process, with a message, if it may start too few threads.
    ///
    /// libdispatch waits for ever for one that cannot be started, and NIO stops the process.
    private static func requireThreads(_ console: Console) {
        guard ThreadLimit.mayBeReached else { return }
        // Those of the engine, which counts those of Swift's tasks although they run by then; so once more as many, the
        // one that waits for signals, and one of libdispatch's own.
        let count = NIOTransport.requiredThreadCount + NIOTransport.taskThreadCount + 2
        let available = ThreadLimit.available(upTo: count)
        guard available < count else { return }
        self.refuse(
            "\(count) threads are needed to start, and only \(available) can be started; raise the limit of processes (ulimit -u) or of memory (ulimit -v)",
            console
        )
    }

    /// Ends the process, which cannot start.
    private static func refuse(_ reason: String, _ console: Console) -> Never {
        console.report("error", reason)
        exit(CommandStatus.transport.rawValue)
    }
}

extension Console {
    /// Returns the console of this process.
    static func process(programPath: String) -> Console {
        Console(
            input: FileDescriptorSource.standardInput,
            output: FileDescriptorSink.standardOutput,
            errors: FileDescriptorSink.standardError,
            environment: self.processEnvironment,
            programPath: programPath,
            readSecret: { (prompt) throws(CommandFailure) in try SecretPrompt.read(prompt) }
        )
    }

    /// The environment variables of this process, without folders that are empty or not UTF-8.
    ///
    /// An empty `HOME` would stand for the root folder, and `ProcessInfo` repairs bytes that are not UTF-8, which makes the path of another folder
    /// of them.
    private static var processEnvironment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["HOME", "XDG_CONFIG_HOME", "BLUEBONNET_CONFIG_DIR"] {
            let path = getenv(name).flatMap { String(validatingCString: $0) }
            if path?.isEmpty ?? true { environment[name] = nil }
        }
        return environment
    }
}
