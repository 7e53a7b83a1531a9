import Foundation

/// One run of a program, with a fault in one of its calls.
struct CrashRun {
    /// The lines that the program has printed whole.
    let output: [String]
    /// Its error messages.
    let errors: String
    /// Its exit status; `nil` if it was killed.
    let status: Int32?
    /// The call that the fault happened to, with its file; `nil` if the program made fewer calls.
    let call: String?
    /// The number of calls of a program that has exited without the fault.
    let callCount: Int
    /// Whether the program did not end in time, and was stopped.
    let hangs: Bool

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - fault: The fault and the number of its call, counted from 1; `nil` for none.
    ///   - name: The function whose calls are counted; `nil` for all.
    ///   - folder: The folder with the files whose calls are counted.
    init(
        _ program: URL, _ arguments: [String], fault: (CrashFault, Int)? = nil, of name: String? = nil, in folder: URL
    ) async throws {
        let files = FileManager.default
        let scratch = files.temporaryDirectory.appendingPathComponent("cabinet-crash-\(UUID().uuidString)")
        try files.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: scratch) }
        let log = scratch.appendingPathComponent("log")
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "HOME": scratch.path, "TMPDIR": folder.path, "CRASH_ROOT": folder.path, "CRASH_LOG": log.path,
        ]) { $1 }
        if let fault {
            process.environment?["CRASH_FAULT"] = "\(fault.0):\(fault.1)"
            process.environment?["CRASH_CALL"] = name
            process.environment?[CrashShim.variable] = try CrashShim.library.get().path
        }
        let outputs = ["output", "errors"].map { scratch.appendingPathComponent($0) }
        for file in outputs { try Data().write(to: file) }
        let handles = try outputs.map { try FileHandle(forWritingTo: $0) }
        defer { for handle in handles { try? handle.close() } }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.finish() }
        try process.run()
        let id = process.processIdentifier
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            Foundation.kill(id, SIGKILL)
        }
        for await _ in ends {}
        hangs = await Self.hasElapsed(limit)
        let text = String(decoding: try Data(contentsOf: outputs[0]), as: UTF8.self)
        // A line without its end was not printed.
        output = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        errors = String(decoding: try Data(contentsOf: outputs[1]), as: UTF8.self)
        status = process.terminationReason == .exit ? process.terminationStatus : nil
        let logged = (try? String(contentsOf: log, encoding: .utf8)).map { $0.trimmingCharacters(in: .newlines) }
        callCount = logged.flatMap(Int.init) ?? 0
        call = callCount == 0 ? logged?.replacingOccurrences(of: folder.path, with: "…") : nil
    }

    /// Stops a time limit, and returns whether it has elapsed.
    private static func hasElapsed(_ limit: Task<Void, any Error>) async -> Bool {
        limit.cancel()
        if case .success = await limit.result { return true }
        return false
    }
}
