import CabinetTesting
import Foundation
import StorageTestSupport

/// Runs of a scenario: one for each call of its program, and for each fault that can happen to it.
struct CrashSweep {
    /// The calls to run a scenario with.
    enum Extent {
        /// All calls.
        case all
        /// Calls that a seed selects, until a time has elapsed.
        case sample(seed: UInt64, Duration)
    }

    /// The number of runs with each fault.
    private(set) var runs: [CrashFault: Int] = [:]

    /// The losses that were found, by the fault and its call.
    private(set) var losses: [String] = []

    /// Runs a scenario.
    ///
    /// - Parameter name: The function whose calls fail, and nothing else happens; `nil` for all calls and faults.
    init(_ scenario: some CrashScenario, _ extent: Extent, of name: String? = nil) async throws {
        let faults = name == nil ? CrashFault.allCases : [.io]
        losses += try await Self.run(scenario, .io, .max).losses
        var trials: [CrashFault: ArraySlice<Int>] = [:]
        var end: ContinuousClock.Instant?
        var generator = SeededGenerator(seed: 0)
        switch extent {
        case .all:
            // More calls than any of these programs makes: the first number without a call ends the runs of its fault.
            for fault in faults { trials[fault] = Array(1...100_000)[...] }
        case .sample(let seed, let duration):
            generator = SeededGenerator(seed: seed)
            for fault in CrashFault.allCases {
                let count = try await Self.run(scenario, fault == .space ? .space : .io, .max).count
                trials[fault] = (1...max(count, 1)).shuffled(using: &generator)[...]
            }
            end = .now + duration
        }
        try await withThrowingTaskGroup(of: (CrashFault, Bool, [String]).self) { group in
            func add() {
                let rest = CrashFault.allCases.filter { trials[$0]?.isEmpty == false }
                guard end.map({ .now < $0 }) ?? true, let fault = rest.randomElement(using: &generator),
                    let number = trials[fault]?.popFirst()
                else { return }
                group.addTask {
                    let (_, call, losses) = try await Self.run(scenario, fault, number, name)
                    return (fault, call != nil, losses)
                }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { add() }
            for try await (fault, happened, losses) in group {
                if happened {
                    runs[fault, default: 0] += 1
                } else if end == nil {
                    trials[fault] = []
                }
                self.losses += losses
                add()
            }
        }
    }

    private static func run(
        _ scenario: some CrashScenario, _ fault: CrashFault, _ number: Int, _ function: String? = nil
    ) async throws -> (count: Int, call: String?, losses: [String]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await scenario.prepare(folder)
        let run = try await CrashRun(
            BuiltProgram.url(scenario.program), scenario.arguments(in: folder), fault: (fault, number), of: function,
            in: folder)
        var losses: [String] = []
        do {
            if run.hangs { losses.append("The program hangs.") }
            let isKilled = fault == .kill && run.call != nil
            if run.status == nil && !isKilled && !run.hangs { losses.append("The program crashes.") }
            if number == .max, run.status != 0 { losses.append("The program fails without a fault.") }
            losses += try await scenario.losses(after: run, in: folder)
        } catch {
            losses.append("\(error)")
        }
        let name = "\(scenario.name), \(fault) \(number) (\(run.call ?? "no call")), exit \(run.status ?? -1)"
        return (run.callCount, run.call, losses.map { "\(name): \($0)\n\(run.errors)" })
    }
}
