import Foundation
import ProgramTestSupport
import Testing

/// Two real browsers use the pages of each example at once, with and without scripts, while a terminal changes the same store.
@Suite("The examples in two browsers")
struct TwoBrowsersTests {
    @Test("Two browsers and a terminal see each other's changes at once", .timeLimit(.minutes(10)))
    func people() async throws {
        let folder = try TemporaryFolder()
        let programs = try Program.built("notes").executable.deletingLastPathComponent().path
        _ = try Program.built("shopping-list")
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Support/Browser/examples.py").standardizedFileURL.path
        // The Python that has Debian's packages.
        let system = URL(filePath: "/usr/bin/python3")
        let python =
            try FileManager.default.isExecutableFile(atPath: system.path)
            ? Program(executable: system) : Program.installed("python3")
        let outcome = try await python.run(
            [script, programs, folder.path("stores"), TestPicture.hills.path], in: folder)
        #expect(
            outcome.status == 0 && outcome.output.contains("work in two browsers"), "\(outcome.errors.suffix(2_000))")
    }
}
