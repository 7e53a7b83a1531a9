import Cabinet

/// Collects the issues of a database: the first of each kind, and the number of all.
final class IssueCollector {
    /// The maximum number of stored issues of each kind.
    static let limit = 100

    private(set) var issues: [IntegrityIssue] = []
    private(set) var omittedCount = 0
    private var counts: [IntegrityIssue.Kind: Int] = [:]

    func add(_ issue: IntegrityIssue) {
        if hasRoom(for: issue.kind) { issues.append(issue) } else { omittedCount += 1 }
        counts[issue.kind, default: 0] += 1
    }

    func add(_ kind: IntegrityIssue.Kind, _ record: StoredRecord, _ message: String, isRepairable: Bool = false) {
        add(
            IntegrityIssue(
                kind, message, recordType: record.recordType, recordID: record.recordID,
                isRepairable: isRepairable))
    }

    /// Whether another issue of a kind would be stored, so that searching for it is worthwhile.
    func hasRoom(for kind: IntegrityIssue.Kind) -> Bool {
        counts[kind, default: 0] < Self.limit
    }
}
