/// What a verification has read, and its findings.
///
/// ```swift
/// let report = try await container.verify()
/// if !report.isClean { print(report) }
/// ```
public struct VerificationReport: Sendable, Hashable {
    /// How much was verified.
    public struct Counts: Sendable, Hashable {
        /// Databases.
        public var databases = 0
        /// Zones, default zones among them.
        public var zones = 0
        /// Records.
        public var records = 0
        /// References with a delete rule, parents among them.
        public var references = 0
        /// Indexes that schemas ask for.
        public var indexes = 0
        /// Changes in the feeds of zones: records, and deletions that are remembered.
        public var changes = 0
        /// Subscriptions.
        public var subscriptions = 0
        /// Assets; one that several records have counts once.
        public var assets = 0
        /// Bytes of assets.
        public var bytes: Int64 = 0

        /// Creates counts that are all zero.
        public init() {}

        static func += (left: inout Self, right: Self) {
            left.databases += right.databases
            left.zones += right.zones
            left.records += right.records
            left.references += right.references
            left.indexes += right.indexes
            left.changes += right.changes
            left.subscriptions += right.subscriptions
            left.assets += right.assets
            left.bytes += right.bytes
        }
    }

    /// How much was verified.
    public internal(set) var counts = Counts()

    /// The findings: of each kind in each database the first hundred.
    public internal(set) var findings: [VerificationFinding] = []

    /// How many findings there are beyond those that are listed.
    public internal(set) var omittedCount = 0

    /// How many files that interrupted processes had left were removed; 0 without a repair.
    public internal(set) var removedFileCount = 0

    /// Creates a report, to test a program's handler with.
    ///
    /// - Parameters:
    ///   - counts: How much was verified.
    ///   - findings: What was found.
    public init(counts: Counts = Counts(), findings: [VerificationFinding] = []) {
        self.counts = counts
        self.findings = findings
    }

    /// Whether there is no damage, or all of it was repaired.
    public var isClean: Bool { omittedCount == 0 && findings.allSatisfy(\.isRepaired) }

    /// The findings that were not repaired.
    public var remaining: [VerificationFinding] { findings.filter { !$0.isRepaired } }
}

extension VerificationReport: CustomStringConvertible {
    /// The report in lines: what was verified, then each finding.
    public var description: String {
        var lines = [
            "Looked at \(counted(counts.databases, "database")), \(counted(counts.zones, "zone")), "
                + "\(counted(counts.records, "record")), \(counted(counts.references, "reference")), "
                + "\(counted(counts.indexes, "index", "indexes")), \(counted(counts.changes, "change")), "
                + "\(counted(counts.subscriptions, "subscription")), \(counted(counts.assets, "asset")) "
                + "(\(counted(counts.bytes, "byte")))."
        ]
        if findings.isEmpty {
            lines.append("Everything is as it must be.")
        } else {
            let repaired = findings.count(where: \.isRepaired)
            var line = counted(findings.count + omittedCount, "finding")
            if repaired > 0 { line += ", of which \(repaired) repaired" }
            lines.append("\(line):")
            lines += findings.map { "- \($0)" }
            if omittedCount > 0 { lines.append("- and \(omittedCount) more") }
        }
        if removedFileCount > 0 {
            lines.append("Removed \(counted(removedFileCount, "file")) that interrupted processes had left.")
        }
        return lines.joined(separator: "\n")
    }

    private func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}
