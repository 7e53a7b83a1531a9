import ProgramTestSupport
import Testing

@Suite("Getting started: README's program")
struct GettingStartedTests {
    @Test("It prints the output in README")
    func output() async throws {
        let outcome = try await Program.built("GettingStarted").run([], in: TemporaryFolder())
        #expect(outcome.output == (try ExpectedOutput.text("getting-started.txt")))
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
    }
}
