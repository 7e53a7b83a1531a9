/// What became of many rules on one backend: which laws it keeps, and which it breaks.
public struct ConformanceReport: Sendable {
    /// What became of one rule.
    public struct Entry: Sendable {
        /// The rule.
        public let rule: ConformanceRule

        /// Whether the law holds.
        public let outcome: Outcome

        /// How long it took to find out.
        public let duration: Duration
    }

    /// What a rule found.
    public enum Outcome: Sendable {
        /// The law holds.
        case kept
        /// The law does not hold.
        case broken(ConformanceFailure)
        /// The rule needs a store that outlives its backend, a helper, or an ability, and the subject has none.
        case notApplicable
    }

    /// What became of each rule, in the order in which they were given.
    public let entries: [Entry]

    /// How long all of it took.
    public let duration: Duration

    /// Whether every law holds that applies; `false` if no rule was run.
    public var isPassed: Bool { !entries.isEmpty && failures.isEmpty }

    /// What the rules found that do not hold.
    public var failures: [ConformanceFailure] {
        entries.compactMap { entry in
            if case .broken(let failure) = entry.outcome { failure } else { nil }
        }
    }
}

extension ConformanceRule {
    /// Runs rules on a backend, each in a store of its own, and reports what they found.
    ///
    /// - Parameters:
    ///   - rules: The rules to run.
    ///   - subject: What to run them on.
    ///   - width: How many rules may run at once.
    ///   - timeLimit: How long each rule may take. A rule that takes longer fails, and is left behind.
    ///   - progress: Called with each result as it comes, in any order, one at a time.
    /// - Returns: The report. Whatever the backend throws is in it as the failure of a rule.
    public static func run(
        _ rules: [ConformanceRule] = all, on subject: ConformanceSubject, atOnce width: Int = 4,
        timeLimit: Duration = .seconds(60), progress: (ConformanceReport.Entry) -> Void = { _ in }
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
    /// A line for each family, then each failure with its law, its source, what was expected and what was found.
    public var description: String {
        var rows = [["Family", "kept", "broken", "not applicable"]]
        let byFamily = Dictionary(grouping: entries, by: \.rule.family)
        for family in ConformanceRule.Family.allCases {
            if let entries = byFamily[family] { rows.append([family.rawValue] + Self.counts(of: entries)) }
        }
        rows.append(["all"] + Self.counts(of: entries))
        var lines = TextTable.lines(of: rows)
        lines += failures.flatMap { ["", $0.description] }
        return (lines + ["", result]).joined(separator: "\n")
    }

    private var result: String {
        switch (entries.isEmpty, failures.count) {
        case (true, _): "No rule was run."
        case (_, 0): "Every law holds that applies."
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
