import Foundation
import ProgramTestSupport
import Testing

@testable import CabinetCLI
@testable import TerminalProgram

@Suite("Dashboard: progress of an export or import", .timeLimit(.minutes(15)))
struct TransferProgressTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private func importing(
        environment: [String] = [], _ test: (Terminal) async throws -> Void
    ) async throws {
        let lines = (0..<12_000).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let file = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        try await Terminal.running(
            cabinet.program, ["import", file, "--store", cabinet.store], in: cabinet.folder, environment: environment,
            test)
    }

    @Test("On a terminal, one line changes: the completed part, the rate and the remaining time")
    func terminal() async throws {
        try await importing { terminal in
            let screen = try await terminal.wait(for: "[ended with 0]")
            #expect(screen.contains("a.jsonl: 12000 records in "))
            // The line was replaced by the result.
            #expect(!screen.contains("Importing…"))
            let line = /\r([0-9]+) %, Importing… ([0-9]+) records, [0-9]+\/s, [0-9]+ s left/
            let shown = try terminal.everythingShown().matches(of: line)
            #expect(!shown.isEmpty)
            for match in shown {
                let (percentage, count) = (try #require(Int(match.1)), try #require(Int(match.2)))
                #expect((0...100).contains(percentage) && abs(percentage - count / 120) < 10, "\(match.0)")
            }
        }
    }

    @Test("On a terminal that cannot move its cursor, progress is plain lines")
    func dumbTerminal() async throws {
        try await importing(environment: ["TERM=dumb"]) { terminal in
            let screen = try await terminal.wait(for: "[ended with 0]")
            #expect(screen.contains(/(?m)^[0-9]+ %, Importing… [0-9]+ records, [0-9]+\/s, [0-9]+ s left/))
            #expect(screen.contains("a.jsonl: 12000 records in "))
        }
    }

    @Test("In a pipe, a line is shown every ten seconds, and none for a short transfer")
    func lines() {
        var meter = TransferMeter("Exporting", Console(isPlain: true))
        meter.fraction = 0.25
        #expect(meter.line(after: 100, at: meter.start + .seconds(5), isTerminal: false) == nil)
        #expect(
            meter.line(after: 100, at: meter.start + .seconds(10), isTerminal: false)
                == "25 %, Exporting… 200 records, 20/s, 30 s left")
        #expect(meter.line(after: 100, at: meter.start + .seconds(19), isTerminal: false) == nil)
        meter.fraction = nil
        #expect(
            meter.line(after: 100, at: meter.start + .seconds(20), isTerminal: false)
                == "Exporting… 400 records, 20/s")
        #expect(meter.line(after: 100, at: meter.start + .milliseconds(20_100), isTerminal: true) == nil)
        #expect(meter.line(after: 100, at: meter.start + .milliseconds(20_200), isTerminal: true) != nil)
    }
}
