/// The results of many rules on one backend.
public struct ConformanceReport: Sendable {
    /// The result of one rule.
    public struct Entry: Sendable {
        /// The rule.
        public let rule: ConformanceRule

        /// The outcome of the rule, and the failure if the law does not hold.
        public let outcome: Outcome

        /// The time that the rule took.
        public let duration: Duration
    }

    /// A rule's finding.
    public enum Outcome: Sendable {
        /// The law holds.
        case kept
        /// The law does not hold.
        case broken(ConformanceFailure)
        /// The rule needs a store that outlives its backend, a helper, or an ability, and the subject lacks it.
        case notApplicable
    }

    /// The result of each rule, in the given order.
    public let entries: [Entry]

    /// The time that all rules took.
    public let duration: Duration

    /// Whether every applicable law holds; `false` if no rule was run.
    public var isPassed: Bool { !entries.isEmpty && failures.isEmpty }

    /// The failures of the broken laws.
    public var failures: [ConformanceFailure] {
        entries.compactMap { entry in
            if case .broken(let failure) = entry.outcome { failure } else { nil }
        }
    }
}

extension ConformanceRule {
    /// Runs rules on a backend, each in a store of its own, and reports their results.
    ///
    /// - Parameters:
    ///   - rules: The rules to run.
    ///   - subject: The stores to run the rules on.
    ///   - width: The number of rules that may run at once.
    ///   - timeLimit: The longest time that each rule may take. A rule that exceeds it fails and is abandoned.
    ///   - progress: Called with each result when it arrives, in any order, one at a time.
    /// - Returns: The report. Errors that the backend throws become failures of rules.
    public static func run(
        _ rules: [ConformanceRule] = all, on subject: ConformanceSubject, atOnce width: Int = 4,
        timeLimit: Duration = .seconds(180), progress: (ConformanceReport.Entry) -> Void = { _ in }
    ) async -> ConformanceReport {
        let clock = ContinuousClock()
        let start = clock.now
        var entries: [Int: ConformanceReport.Entry] = [:]
        await withTaskGroup(of: (Int, ConformanceReport.Entry).self) { group in
            for (index, rule) in rules.enumerated() {
                if index >= max(width, 1), let (finished, entry) = await group.next() {
                    entries[finished] = entry
                    progress(entry)
                }
                group.addTask { (index, await rule.entry(on: subject, timeLimit)) }
            }
            for await (finished, entry) in group {
                entries[finished] = entry
                progress(entry)
            }
        }
        return ConformanceReport(
            entries: rules.indices.compactMap { entries[$0] }, duration: clock.now - start)
    }

    private func entry(on subject: ConformanceSubject, _ timeLimit: Duration) async -> ConformanceReport.Entry {
        let clock = ContinuousClock()
        let start = clock.now
        let outcome: ConformanceReport.Outcome
        do {
            let isApplicable = try await runIfApplicable(on: subject, timeLimit: timeLimit)
            outcome = isApplicable ? .kept : .notApplicable
        } catch {
            outcome = .broken(ConformanceFailure(error, in: self))
        }
        return ConformanceReport.Entry(rule: self, outcome: outcome, duration: clock.now - start)
    }
}

extension ConformanceReport: CustomStringConvertible {
    /// A line for each family, then each failure with its law, its source, the expected and the found value.
    public var description: String {
        var rows = [["Family", "kept", "broken", "not applicable"]]
        let byFamily = Dictionary(grouping: entries, by: \.rule.family)
        for family in ConformanceRule.Family.allCases {
            if let entries = byFamily[family] { rows.append([family.rawValue] + Self.counts(of: entries)) }
        }
        rows.append(["all"] + Self.counts(of: entries))
        var lines = TextTable.lines(of: rows)
        // The narrowest families first, as in the table: their failures are often the cause of the others.
        let families = ConformanceRule.Family.allCases
        let sorted = families.flatMap { family in failures.filter { $0.rule?.family == family } }
        lines += sorted.flatMap { ["", $0.description] }
        return (lines + ["", result]).joined(separator: "\n")
    }

    private var result: String {
        switch (entries.isEmpty, failures.count) {
        case (true, _): "No rule was run."
        case (_, 0): "Every applicable law holds."
        case (_, 1): "1 law is broken."
        case (_, let count): "\(count) laws are broken."
        }
    }

    private static func counts(of entries: [Entry]) -> [String] {
        var counts = [0, 0, 0]
        for entry in entries {
            switch entry.outcome {
            case .kept: counts[0] += 1
            case .broken: counts[1] += 1
            case .notApplicable: counts[2] += 1
            }
        }
        return counts.map { "\($0)" }
    }
}
