package import Foundation

/// A program that a test runs.
package struct Program: Sendable {
    package let executable: URL

    package init(executable: URL) {
        self.executable = executable
    }

    /// A program that was built together with these tests.
    package static func built(_ name: String) throws -> Self {
        guard let executable = BuildFolder.candidates.lazy.compactMap({ executable(name, in: $0) }).first else {
            throw Missing(description: "'\(name)' was not built next to these tests")
        }
        return Self(executable: executable)
    }

    /// A program that is installed on this system.
    package static func installed(_ name: String) throws -> Self {
        let folders = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin:/bin"].split(separator: ":")
        guard let executable = folders.lazy.compactMap({ executable(name, in: URL(filePath: String($0))) }).first else {
            throw Missing(description: "'\(name)' is not installed; 'make setup' installs it")
        }
        return Self(executable: executable)
    }

    private static func executable(_ name: String, in folder: URL) -> URL? {
        let executable = folder.appending(path: name)
        return FileManager.default.isExecutableFile(atPath: executable.path) ? executable : nil
    }

    /// The program does not exist.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }
}

/// The folder of built programs: the one of the test bundle.
private enum BuildFolder {
    /// The folders around the executable of these tests, the nearest first.
    ///
    /// On Linux the test bundle is the program that runs. On macOS a helper of the toolchain runs, and receives the
    /// path of the bundle.
    static var candidates: [URL] {
        let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }.map { URL(filePath: $0) }
        let running = [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(), Bundle.main.bundleURL]
        return (bundles + running).flatMap { start in
            sequence(first: start) { $0.pathComponents.count > 1 ? $0.deletingLastPathComponent() : nil }.prefix(6)
        }
    }
}
