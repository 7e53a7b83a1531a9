public import Cabinet

/// An issue in a store.
///
/// A finding is a value: it can be counted, compared and stored.
public struct VerificationFinding: Sendable, Hashable {
    /// The damaged database.
    public let database: DatabaseKey

    /// The issue, and the item that has it.
    public let issue: IntegrityIssue

    /// Whether a repair has corrected it.
    public internal(set) var isRepaired = false

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - issue: The issue, and the item that has it.
    ///   - database: The damaged database.
    ///   - isRepaired: Whether a repair has corrected it.
    public init(_ issue: IntegrityIssue, in database: DatabaseKey, isRepaired: Bool = false) {
        self.database = database
        self.issue = issue
        self.isRepaired = isRepaired
    }
}

extension VerificationFinding {
    /// The kind of the issue, a name that stays the same in later versions.
    public var kind: IntegrityIssue.Kind { issue.kind }

    /// The issue, the expected state, and a recommendation, in whole sentences.
    public var message: String { issue.message }

    /// The damaged record's type.
    public var recordType: Record.RecordType? { issue.recordType }

    /// The damaged record.
    public var recordID: RecordID? { issue.recordID }

    /// The damaged zone.
    public var zoneID: RecordZone.ID? { issue.zoneID }

    /// The damaged field.
    public var fieldKey: Record.FieldKey? { issue.fieldKey }

    /// The damaged index of the schema.
    public var index: StoredIndex? { issue.index }

    /// The checksum of the damaged asset.
    public var checksum: Asset.Checksum? { issue.checksum }

    /// Whether a repair can correct it without loss.
    public var isRepairable: Bool { issue.isRepairable }
}

extension VerificationFinding: CustomStringConvertible {
    /// The finding in one line: the database, the kind, and the message.
    public var description: String {
        let state = isRepaired ? "repaired" : isRepairable ? "can be repaired" : "cannot be repaired without loss"
        return "\(kind) in \(database) (\(state)): \(message)"
    }
}
