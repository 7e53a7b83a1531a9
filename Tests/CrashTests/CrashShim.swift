import Foundation
import Testing

/// The library that lets a program's calls to the file system fail, compiled for this run of the tests.
enum CrashShim {
    /// The library's file.
    static let library = Result { () throws -> URL in
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Shim/crash.c")
        let library = FileManager.default.temporaryDirectory
            .appendingPathComponent("cabinet-crash-\(UUID().uuidString).so")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", library.path, source.path]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return library
    }

    #if canImport(Darwin)
    static let variable = "DYLD_INSERT_LIBRARIES"
    #else
    static let variable = "LD_PRELOAD"
    #endif
}

/// A fault of one call of a program.
enum CrashFault: String, CaseIterable {
    /// The call fails with EIO.
    case io
    /// The call fails with ENOSPC. Only calls that need space are counted.
    case space
    /// The program is killed before the call.
    case kill
}
