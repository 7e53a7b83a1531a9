public import Cabinet

/// One damage in a store.
///
/// A finding is a value: it can be counted, compared and stored.
public struct VerificationFinding: Sendable, Hashable {
    /// The database that it is in.
    public let database: DatabaseKey

    /// What is wrong, and about what.
    public let damage: IntegrityIssue

    /// Whether a repair has corrected it.
    public internal(set) var isRepaired = false

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - damage: What is wrong, and about what.
    ///   - database: The database that it is in.
    ///   - isRepaired: Whether a repair has corrected it.
    public init(_ damage: IntegrityIssue, in database: DatabaseKey, isRepaired: Bool = false) {
        self.database = database
        self.damage = damage
        self.isRepaired = isRepaired
    }
}

extension VerificationFinding {
    /// What is wrong, by a name that stays the same in later versions.
    public var kind: IntegrityIssue.Kind { damage.kind }

    /// What is wrong, what was expected, and what to do, in whole sentences.
    public var message: String { damage.message }

    /// The record type that it is about.
    public var recordType: Record.RecordType? { damage.recordType }

    /// The record that it is about.
    public var recordID: RecordID? { damage.recordID }

    /// The zone that it is about.
    public var zoneID: RecordZone.ID? { damage.zoneID }

    /// The field that it is about.
    public var fieldKey: Record.FieldKey? { damage.fieldKey }

    /// The index of the schema that it is about.
    public var index: StoredIndex? { damage.index }

    /// The checksum of the asset that it is about.
    public var checksum: Asset.Checksum? { damage.checksum }

    /// Whether a repair can correct it without loss.
    public var isRepairable: Bool { damage.isRepairable }
}

extension VerificationFinding: CustomStringConvertible {
    /// The finding in one line: where, what kind, and the message.
    public var description: String {
        let state = isRepaired ? "repaired" : isRepairable ? "can be repaired" : "cannot be repaired without loss"
        return "\(kind) in \(database) (\(state)): \(message)"
    }
}
