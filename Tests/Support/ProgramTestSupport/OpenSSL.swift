import Foundation

/// The program `openssl`, for certificates and connections with TLS.
package enum OpenSSL {
    /// Runs `openssl`, and returns what it prints.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: The standard input, such as a request for `s_client`.
    package static func run(_ arguments: [String], input: String = "") throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (toProcess, fromProcess) = (Pipe(), Pipe())
        process.standardInput = toProcess
        process.standardOutput = fromProcess
        process.standardError = fromProcess
        try process.run()
        try toProcess.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        // A client of `-quiet` goes on until the server closes.
        if input.isEmpty { try toProcess.fileHandleForWriting.close() }
        let output = fromProcess.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}
