import Cabinet
import Foundation

/// The main function of a program that runs rules on a backend.
///
/// ```swift
/// let subject = ConformanceSubject.inDirectories { MyBackend(directory: $0) }
/// exit(await ConformanceRunner.run(on: subject))
/// ```
///
/// Without arguments, the program runs every rule. Arguments name families, such as `"delete rules"`, or single rules, by
/// their names or as failures print them. `--time-limit 300` gives each rule five minutes instead of three.
/// The program is also the helper of the rules that need a second process: it starts itself with `--helper`.
public enum ConformanceRunner {
    /// Runs the named rules, and prints a report.
    ///
    /// - Parameters:
    ///   - subject: The stores to run the rules on. If it has no helper, the program itself is the helper.
    ///   - arguments: The program's arguments, without its name.
    /// - Returns: The exit status: 0 if every applicable law holds, 1 if not, 64 if an argument names neither a family
    ///   nor a rule, or is not a time limit.
    public static func run(
        on subject: ConformanceSubject, arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) async -> Int32 {
        do {
            if arguments.count == 3, arguments[0] == "--helper", let task = HelperTask(arguments[2]) {
                let outcome = try await subject.perform(task, inStore: arguments[1]) { call in
                    // Not buffered, so that the line exists even if the process is killed next.
                    try? FileHandle.standardOutput.write(contentsOf: Data("\(call)\n".utf8))
                }
                print(outcome.rawValue)
                return 0
            }
            var names = arguments
            var timeLimit = Duration.seconds(180)
            if let option = names.firstIndex(of: "--time-limit") {
                guard let seconds = names.dropFirst(option + 1).first.flatMap(Int.init), seconds > 0 else {
                    throw CabinetError(.invalidArguments, "--time-limit needs a number of seconds, such as 300.")
                }
                timeLimit = .seconds(seconds)
                names.removeSubrange(option...option + 1)
            }
            let rules = try ConformanceRule.named(names)
            let report = await ConformanceRule.run(rules, on: subject.withOwnHelper(), timeLimit: timeLimit)
            print(report)
            return report.isPassed ? 0 : 1
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
            return (error as? CabinetError)?.code == .invalidArguments ? 64 : 1
        }
    }
}
