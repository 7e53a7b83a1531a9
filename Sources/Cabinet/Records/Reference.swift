/// A field's value that points to another record of the same zone, with a rule for the deletion of that record.
///
/// ```swift
/// // The item is deleted together with its list.
/// item["list"] = Reference(record: list, action: .deleteSelf)
/// let query = Query(recordType: "Items", filter: .field("list") == list)
/// ```
///
/// Saving a record throws ``CabinetError/Code/referenceViolation`` if the target of a reference with another action than
/// ``Action/none`` does not exist and is not saved in the same batch. <doc:References> explains when to choose which
/// rule, and <doc:Modelling> shows one-to-many and many-to-many relations.
public struct Reference: Sendable, Hashable, Codable {
    /// The ID of the record that the reference points to.
    public let recordID: RecordID

    /// The rule that applies to the referring record when its target is deleted.
    public let action: Action

    /// Creates a reference to a record by ID.
    ///
    /// - Parameters:
    ///   - recordID: The record to point to, in the same zone as the record that will hold the reference.
    ///   - action: The rule that applies when the target is deleted.
    public init(recordID: RecordID, action: Action) {
        self.recordID = recordID
        self.action = action
    }

    /// Creates a reference to a record.
    ///
    /// - Parameters:
    ///   - record: The record to point to, in the same zone as the record that will hold the reference.
    ///   - action: The rule that applies when the target is deleted.
    public init(record: Record, action: Action) {
        self.init(recordID: record.recordID, action: action)
    }
}

extension Reference {
    /// The rules that apply to a referring record when its target is deleted.
    ///
    /// `none` and `deleteSelf` are CloudKit's; `nullify` and `deny` complete Core Data's delete rules.
    public enum Action: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing happens.
        ///
        /// The reference keeps the ID of the deleted record. Its target need not exist.
        case none = 0

        /// The referring record is deleted too, and so on through every chain of such references.
        case deleteSelf = 1

        /// The reference is removed from its field, or from its list; the referring record counts as changed.
        case nullify = 2

        /// The deletion is refused with ``CabinetError/Code/referenceViolation`` as long as the reference exists.
        ///
        /// In the public database, this holds if the user that deletes may also change the referring record, as its
        /// creator. Another user's reference does not prevent the deletion: it is removed as with ``nullify``.
        case deny = 3
    }
}

extension Reference: CustomStringConvertible {
    /// The ID that the reference points to, and its action.
    public var description: String { "→ \(recordID) (\(action))" }
}
