import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: the article with its steps")
struct DashboardWalkTests {
    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/CabinetTools/CabinetTools.docc/WalkingThroughTheDashboard.md")

    /// A command of the article, with its output.
    private struct Step {
        var command: String
        var output: [String] = []
    }

    /// The commands behind `$`, continued behind `>`, with the lines below them.
    private static func steps(in text: String) -> [Step] {
        var steps: [Step] = []
        var isConsole = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isConsole, line.hasPrefix("> "), let last = steps.indices.last {
                steps[last].command += "\n" + line.dropFirst(2)
            } else if isConsole, let last = steps.indices.last {
                steps[last].output.append(line)
            }
        }
        return steps
    }

    @Test("Each command of the article prints what the article says")
    func walk() async throws {
        let steps = Self.steps(in: try String(contentsOf: Self.article, encoding: .utf8))
        #expect(steps.count > 20)
        let cabinet = try CabinetProgram()
        let folder = cabinet.program.executable.deletingLastPathComponent().path
        let mark = "--- end of a step ---"
        let script = steps.map { "\($0.command)\necho '\(mark)'\n" }.joined()
        let outcome = try await Program.installed("bash").run(
            ["-c", "PATH='\(folder)':$PATH\nexec 2>&1\n\(script)"], in: cabinet.folder)
        let outputs = outcome.output.components(separatedBy: mark + "\n")
        try #require(outputs.count == steps.count + 1, "\(outcome.output)")
        // A table is aligned on a terminal, and separated by tabs here.
        func words(_ lines: [String]) -> [[Substring]] {
            lines.map { $0.split { $0 == " " || $0 == "\t" } }.filter { !$0.isEmpty }
        }
        for (step, output) in zip(steps, outputs) {
            #expect(words(output.components(separatedBy: "\n")) == words(step.output), "\(step.command)\n\(output)")
        }
    }
}
