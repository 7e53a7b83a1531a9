/// The gate of work in which one task waits alone for each answer: its processor time must not exceed its wall time.
///
/// More processor time means that a second thread was busy, such as one that spins.
enum ProcessorGate {
    /// The maximum of processor time relative to wall time, which allows for the clocks' differences.
    static let largestShare = 1.1

    /// Describes the lines of a suite in which Cabinet exceeds the maximum.
    static func violations(in results: Results) -> [String] {
        results.lines.compactMap { line in
            guard line.isGated, let share = line.processorShare(of: results.suite.own), share > largestShare else {
                return nil
            }
            return
                "Row \(line.id) (\(line.title)), \(results.suite.title), N = \(results.count): Cabinet's processor time is "
                + "\(MarkdownTable.short(share)) times its wall time. One task waits alone, so at most "
                + "\(MarkdownTable.short(largestShare)) is allowed. Search for a thread that spins: BENCH_ARGUMENTS="
                + "\"--suites \(results.suite.id) --rows \(line.id) --profile\"."
        }
    }
}
