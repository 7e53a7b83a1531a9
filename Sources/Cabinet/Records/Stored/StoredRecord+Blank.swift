import Foundation

extension StoredRecord {
    /// A record without fields, which stands where any record will do.
    static let blank = StoredRecord(
        recordID: RecordID(recordName: "blank"), recordType: "", sequenceNumber: 0, creationDate: .distantPast,
        creatorName: "", modificationDate: .distantPast, lastModifierName: "", parentName: nil, fields: .empty)
}
