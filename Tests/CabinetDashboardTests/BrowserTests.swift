import Foundation
import ProgramTestSupport
import Testing

/// A real browser shows every page at three widths, light and dark, and is used with forms, keys, without scripts, and beside another program.
@Suite("The dashboard in a browser")
struct BrowserTests {
    @Test("shows and changes records as a person expects", .timeLimit(.minutes(10)))
    func person() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path("store")
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        let cabinet = try Program.built("cabinet").executable.path
        let outcome = try await Self.python.run([Self.script("dashboard.py"), cabinet, store], in: folder)
        #expect(outcome.status == 0 && outcome.output.contains("works in a browser"), "\(outcome.errors.suffix(2_000))")
    }

    @Test("shows a store on a server and the store of a mirror, and says what they lack", .timeLimit(.minutes(10)))
    func elsewhere() async throws {
        let folder = try TemporaryFolder()
        let cabinet = try Program.built("cabinet").executable.path
        let outcome = try await Self.python.run([Self.script("remote.py"), cabinet, folder.url.path], in: folder)
        #expect(outcome.status == 0 && outcome.output.contains("works in a browser"), "\(outcome.errors.suffix(2_000))")
    }

    private static func script(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Support/Browser/\(name)").path
    }

    /// The Python that has Debian's packages.
    static var python: Program {
        get throws {
            let system = URL(filePath: "/usr/bin/python3")
            let isThere = FileManager.default.isExecutableFile(atPath: system.path)
            return isThere ? Program(executable: system) : try Program.installed("python3")
        }
    }
}
