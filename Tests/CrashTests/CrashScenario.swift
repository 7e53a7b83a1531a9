import Foundation

/// A program's work, and what must hold after it, however it has ended.
protocol CrashScenario: Sendable {
    /// The name in reports.
    var name: String { get }

    /// The program's file name.
    var program: String { get }

    /// The program's arguments, for files in a folder.
    func arguments(in folder: URL) -> [String]

    /// Creates the files that the work needs, in an empty folder.
    func prepare(_ folder: URL) async throws

    /// Returns what is wrong after a run: what was acknowledged and is missing, what is half done, what does not open.
    func losses(after run: CrashRun, in folder: URL) async throws -> [String]
}
