public import Cabinet

/// The verified amount, and the findings.
///
/// ```swift
/// let report = try await container.verify()
/// if !report.isClean { print(report) }
/// ```
public struct VerificationReport: Sendable, Hashable {
    /// The amount that was verified.
    public struct Counts: Sendable, Hashable {
        /// Databases.
        public var databases = 0
        /// Zones, including default zones.
        public var zones = 0
        /// Records.
        public var records = 0
        /// References with a delete rule, including parents.
        public var references = 0
        /// Indexes of the schemas.
        public var indexes = 0
        /// Changes in the feeds of zones: records, and remembered deletions.
        public var changes = 0
        /// Subscriptions.
        public var subscriptions = 0
        /// Assets; one that several records have counts once.
        public var assets = 0
        /// Bytes of assets.
        public var bytes: Int64 = 0

        /// Creates counts of zero.
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

    /// The verified amount.
    public internal(set) var counts = Counts()

    /// The findings: the first hundred of each kind in each database.
    public internal(set) var findings: [VerificationFinding] = []

    /// The number of findings that are not listed.
    public internal(set) var omittedCount = 0

    /// The databases that could not be verified or repaired as a whole, with the reasons.
    ///
    /// This user may not read or write a part of them, they are of a newer version of Cabinet or of another program, or they are
    /// copies that are not finished. The findings cover the rest of the store.
    public internal(set) var refusals: [DatabaseKey: String] = [:]

    /// The number of removed files that interrupted processes had left; 0 without a repair.
    public internal(set) var removedFileCount = 0

    /// Creates a report, to test a program that prints one.
    ///
    /// - Parameters:
    ///   - counts: The verified amount.
    ///   - findings: The findings.
    public init(counts: Counts = Counts(), findings: [VerificationFinding] = []) {
        self.counts = counts
        self.findings = findings
    }

    /// Whether the whole store was verified, and is undamaged or all damage was repaired.
    public var isClean: Bool { !isDamaged && refusals.isEmpty }

    /// Whether the store has damage that was not repaired.
    public var isDamaged: Bool { omittedCount > 0 || !findings.allSatisfy(\.isRepaired) }

    /// The findings that were not repaired.
    public var remaining: [VerificationFinding] { findings.filter { !$0.isRepaired } }
}

extension VerificationReport {
    /// The advice for the user of a damaged store; `nil` if the store is undamaged.
    ///
    /// - Parameter afterRepair: Whether the report is that of a repair.
    package func advice(afterRepair: Bool) -> String? {
        guard isDamaged else { return nil }
        var lines: [String] = []
        if !afterRepair, remaining.contains(where: \.isRepairable) {
            lines.append("The store is damaged. Back it up, then run: cabinet verify --repair")
            if !remaining.allSatisfy(\.isRepairable) {
                lines.append(
                    "Findings that cannot be repaired without loss stay. The report says what to do about each.")
            }
        } else {
            let repair = afterRepair ? "the repair has left this" : "a repair does not help"
            lines.append("The store is damaged, and \(repair). The report says what to do about each finding.")
        }
        if remaining.contains(where: { $0.kind == .assetDamaged || $0.kind == .assetMissing }) {
            lines.append("Backups and exports refuse lost assets. Stop all programs, and copy the store's files.")
        }
        return lines.joined(separator: "\n")
    }
}

extension VerificationReport: CustomStringConvertible {
    /// The report in lines: the verified amount, then each finding.
    public var description: String {
        var lines = [
            "Verified \(counts.databases.counted("database")), \(counts.zones.counted("zone")), "
                + "\(counts.records.counted("record")), \(counts.references.counted("reference")), "
                + "\(counts.indexes.counted("index", "indexes")), \(counts.changes.counted("change")), "
                + "\(counts.subscriptions.counted("subscription")), \(counts.assets.counted("asset")) "
                + "(\(counts.bytes.counted("byte")))."
        ]
        if findings.isEmpty {
            lines.append("No damage was found.")
        } else {
            let repaired = findings.count(where: \.isRepaired)
            var line = (findings.count + omittedCount).counted("finding")
            if repaired > 0 { line += ", \(repaired) of them repaired" }
            lines.append("\(line):")
            lines += findings.map { "- \($0)" }
            if omittedCount > 0 { lines.append("- and \(omittedCount) more") }
        }
        if !refusals.isEmpty {
            lines.append("\(refusals.count.counted("database")) could not be verified or repaired as a whole:")
            lines += refusals.map { "- \($0.key): \($0.value)" }.sorted()
        }
        if removedFileCount > 0 {
            lines.append("Removed \(removedFileCount.counted("file")) that interrupted processes had left.")
        }
        return lines.joined(separator: "\n")
    }
}
