public import Foundation

/// An ability of a transaction to delete the records that refer to one record together, without reading them.
///
/// The core uses it for a cascade if no rule needs the single records: nothing refers to them with a delete rule, they have no assets,
/// and no subscription fires. Otherwise, and without the ability, it reads and deletes them one by one.
public protocol StorageReferrers: Sendable {
    /// Groups the records that refer to a record with a delete rule.
    ///
    /// Law: each record that ``StorageSnapshot/references(to:)`` finds as a source is in the group of its type, and a group has no
    /// other records.
    ///
    /// - Parameter id: The target, which need not be stored.
    /// - Returns: One group for each record type; `nil` if the records of a type refer in different fields, or the store cannot
    ///   group them.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of records found, at a fraction of what reading them would cost.
    func groups(referringTo id: RecordID) async throws -> [ReferrerGroup]?

    /// Finds out whether a record may refer to one of a group's records with a delete rule.
    ///
    /// Law: the result is `true` if ``StorageSnapshot/references(to:)`` finds a reference to one of them.
    ///
    /// - Parameter group: A group that this transaction has read.
    /// - Returns: `false` only if there is none.
    /// - Throws: The store's failures.
    /// - Complexity: at most in the number of the group's records, and better in that of the records that others refer to.
    func mayBeReferredTo(_ group: ReferrerGroup) async throws -> Bool

    /// Deletes records of a group, and remembers their deletions.
    ///
    /// Law: afterwards the law of ``StorageMutation/delete(_:replacing:)`` holds for those records of the group that were inserted
    /// first, as many as requested. Their deletions have adjacent sequence numbers in the order of the insertion numbers.
    ///
    /// - Parameters:
    ///   - group: A group that this transaction has read, and whose other records it has not changed since.
    ///   - count: The number of records to delete; at most as many as are left.
    ///   - sequenceNumber: The sequence number of the first deletion.
    ///   - date: The date of the deletions.
    /// - Throws: The failures of ``StorageTransaction/apply(_:)``.
    func delete(_ group: ReferrerGroup, count: Int, from sequenceNumber: Int64, date: Date) async throws
}

/// The records of one type that refer to a record with a delete rule, in the same field or as their parent.
public struct ReferrerGroup: Sendable, Hashable {
    /// The record that all of them refer to.
    public let target: RecordID

    /// The type of the records.
    public let recordType: Record.RecordType

    /// The field that has the reference in each of them, or the parent.
    public let place: StoredReference.Place

    /// The number of records.
    public let count: Int

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - target: The record that all of them refer to.
    ///   - recordType: The type of the records.
    ///   - place: The field that has the reference in each of them, or the parent.
    ///   - count: The number of records.
    public init(target: RecordID, recordType: Record.RecordType, place: StoredReference.Place, count: Int) {
        self.target = target
        self.recordType = recordType
        self.place = place
        self.count = count
    }
}
