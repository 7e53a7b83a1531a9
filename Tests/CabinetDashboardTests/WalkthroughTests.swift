import Foundation
import ProgramTestSupport
import Testing

/// The article "Walking through the dashboard in a browser", whose pictures the same script makes.
@Suite("The walk through the dashboard")
struct WalkthroughTests {
    @Test("A schema, records, a conflict in two windows, a deployment and a share", .timeLimit(.minutes(10)))
    func walk() async throws {
        let folder = try TemporaryFolder()
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = tests.appending(path: "Support/Browser/walkthrough.py").path
        let picture = tests.deletingLastPathComponent().appending(path: "Examples/Notes/Demo/hills.jpg").path
        let programs = try Program.built("cabinet").executable.deletingLastPathComponent().path
        let outcome = try await BrowserTests.python.run([script, programs, folder.path("server"), picture], in: folder)
        #expect(outcome.status == 0 && outcome.output.contains("is complete"), "\(outcome.errors.suffix(2_000))")
    }
}
