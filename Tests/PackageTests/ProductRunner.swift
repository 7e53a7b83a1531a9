import Foundation

/// Runs the programs that were built together with these tests.
enum ProductRunner {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a product with arguments, in a new folder that is also its home, and returns its output.
    static func output(of command: [String]) throws -> String {
        guard let name = command.first, let executable = executable(named: name) else {
            throw Failure(description: "'\(command.first ?? "")' is not a program that was built next to these tests")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let pipe = Pipe()
        let process = Process()
        process.executableURL = executable
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["HOME": folder.path, "XDG_DATA_HOME": folder.path, "TMPDIR": folder.path]
        ) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let words = command.joined(separator: " ")
            throw Failure(description: "'\(words)' ended with status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The executable file of a product.
    ///
    /// The build puts it beside the test bundle, whose path is among the arguments of the process that runs the tests.
    private static func executable(named name: String) -> URL? {
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            var folder = URL(fileURLWithPath: argument)
            while folder.path.contains(".xctest") {
                folder.deleteLastPathComponent()
            }
            let executable = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: executable.path) {
                return executable
            }
        }
        return nil
    }
}
