import Foundation
import ProgramTestSupport
import Testing

@Suite("The demo on a server", .timeLimit(.minutes(15)))
struct DemoServerTests {
    @Test("Two users share a list, word for word as expected")
    func demo() async throws {
        let folder = try TemporaryFolder()
        let programs = try Program.built("cabinet").executable.deletingLastPathComponent()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Scripts/demo-server.sh")
        let outcome = try await Program.installed("sh").run(
            [script.standardizedFileURL.path, programs.path, folder.path("store")], in: folder)
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
        #expect(outcome.output == (try ExpectedOutput.text("demo-server.txt")))
    }
}
