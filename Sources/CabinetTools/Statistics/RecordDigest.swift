public import Cabinet
import Foundation

/// A digest of records, which is equal for equal records in any order and in any store.
///
/// It covers record IDs, types, parents and fields with the checksums of assets. It ignores what a store assigns: dates, users and
/// change tags.
///
/// ```swift
/// var digest = RecordDigest()
/// for try await record in database.recordSequence(matching: query) {
///     digest.add(record)
/// }
/// print(digest)
/// ```
public struct RecordDigest: Sendable, Hashable {
    private var sum = ChecksumSum()

    /// The number of records.
    public private(set) var recordCount = 0

    /// Creates the digest of no records.
    public init() {}

    /// Adds a record.
    ///
    /// - Parameter record: The record, fetched with all its fields.
    /// - Complexity: O(*n*) in the size of the fields.
    public mutating func add(_ record: Record) {
        recordCount += 1
        sum.add("content") { part in
            part.add(record.recordID)
            part.add(record.recordType)
            part.add(record.parent) { $0.add($1.recordID) }
            var fields: [(Record.FieldKey, FieldValue?)] = []
            record.fields.forEach { fields.append(($0, $1)) }
            part.add(Int64(fields.count))
            for (key, value) in fields.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
                part.add(key)
                part.add(value) { $0.add($1) }
            }
        }
    }
}

extension RecordDigest: CustomStringConvertible {
    /// The digest as 64 hexadecimal digits.
    public var description: String { sum.checksum.description }
}
