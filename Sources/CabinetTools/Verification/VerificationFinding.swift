public import Cabinet

/// A damage in a store.
///
/// A finding is a value: it can be counted, compared and stored.
public struct VerificationFinding: Sendable, Hashable {
    /// The damaged database.
    public let database: DatabaseKey

    /// The damage, and the item that has it.
    public let damage: IntegrityIssue

    /// Whether a repair has corrected it.
    public internal(set) var isRepaired = false

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - damage: The damage, and the item that has it.
    ///   - database: The damaged database.
    ///   - isRepaired: Whether a repair has corrected it.
    public init(_ damage: IntegrityIssue, in database: DatabaseKey, isRepaired: Bool = false) {
        self.database = database
        self.damage = damage
        self.isRepaired = isRepaired
    }
}

extension VerificationFinding {
    /// The kind of the damage, a name that stays the same in later versions.
    public var kind: IntegrityIssue.Kind { damage.kind }

    /// The damage, the expected state, and a recommendation, in whole sentences.
    public var message: String { damage.message }

    /// The damaged record's type.
    public var recordType: Record.RecordType? { damage.recordType }

    /// The damaged record.
    public var recordID: RecordID? { damage.recordID }

    /// The damaged zone.
    public var zoneID: RecordZone.ID? { damage.zoneID }

    /// The damaged field.
    public var fieldKey: Record.FieldKey? { damage.fieldKey }

    /// The damaged index of the schema.
    public var index: StoredIndex? { damage.index }

    /// The checksum of the damaged asset.
    public var checksum: Asset.Checksum? { damage.checksum }

    /// Whether a repair can correct it without loss.
    public var isRepairable: Bool { damage.isRepairable }
}

extension VerificationFinding: CustomStringConvertible {
    /// The finding in one line: the database, the kind, and the message.
    public var description: String {
        let state = isRepaired ? "repaired" : isRepairable ? "can be repaired" : "cannot be repaired without loss"
        return "\(kind) in \(database) (\(state)): \(message)"
    }
}
