package import Foundation

/// A run of the program `SavingProcess`, which is built beside these tests.
package struct SavingProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - arguments: The directory or the server, the prefix of the records' names, and the number of records to save.
    ///   - user: The number of the user that the program becomes, if not the one of this process.
    ///   - schema: The PostgreSQL schema of the store, if it is on a server.
    ///   - mask: The umask of the program, if not the one of this process.
    ///   - directory: A directory that the program finds on a read-only disk.
    package init(
        _ arguments: [String], as user: Int? = nil, schema: String? = nil, mask: Int? = nil,
        readOnly directory: URL? = nil
    ) throws {
        guard let executable = Self.executable else { throw CocoaError(.fileNoSuchFile) }
        let mounts = directory.map { Self.mounts(readOnly: $0.path) } ?? []
        let command = mounts + [executable.path] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        var environment = ProcessInfo.processInfo.environment
        if let user {
            environment["SAVING_PROCESS_USER"] = "\(user)"
            // This process may have a folder for temporary files that other users may not write to.
            environment["TMPDIR"] = "/tmp"
        }
        if let schema { environment["SAVING_PROCESS_SCHEMA"] = schema }
        if let mask { environment["SAVING_PROCESS_UMASK"] = String(mask, radix: 8) }
        process.environment = environment
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// The next bytes of the program's output; empty when it has ended.
    package func availableOutput() -> Data { output.fileHandleForReading.availableData }

    #if os(Linux)
    /// The number of the program's threads.
    package var threadCount: Int {
        let tasks = "/proc/\(process.processIdentifier)/task"
        return (try? FileManager.default.contentsOfDirectory(atPath: tasks))?.count ?? 0
    }
    #endif

    /// Kills the program at once.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Continues the program after it has stopped.
    package func resume() {
        Foundation.kill(process.processIdentifier, SIGCONT)
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: The rest of its output, its errors, and its exit status.
    package func finish() -> (output: Data, errors: String, status: Int32) {
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (rest, String(decoding: text, as: UTF8.self), process.terminationStatus)
    }

    /// The words before a command that has a directory on a read-only disk.
    package static func mounts(readOnly directory: String) -> [String] {
        let script = #"mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@""#
        return ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script, directory]
    }

    /// Whether this system and user can mount read-only disks: Linux, and its administrator.
    package static let canMount: Bool = {
        let command = mounts(readOnly: FileManager.default.temporaryDirectory.path) + ["/bin/true"]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// The program's file.
    ///
    /// The build puts it beside the test bundle, whose path is among the arguments of this process.
    package static let executable: URL? = CommandLine.arguments.lazy.filter { $0.contains(".xctest") }.compactMap {
        argument in
        var folder = URL(fileURLWithPath: argument)
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        let file = folder.appendingPathComponent("SavingProcess")
        return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
    }.first
}
