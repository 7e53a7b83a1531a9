/// How far the bytes of a record's assets have come into the store, while the record is being saved.
public struct AssetProgress: Sendable, Hashable {
    /// The record.
    public let recordID: RecordID

    /// The field that has the asset which is being copied.
    public let fieldKey: Record.FieldKey

    /// How many bytes of the request's assets have been copied.
    public let completedBytes: Int64

    /// How many bytes the request's assets have together.
    public let totalBytes: Int64

    /// Creates a progress, to test a program's handler with.
    ///
    /// - Parameters:
    ///   - recordID: The record.
    ///   - fieldKey: The field whose asset is being copied.
    ///   - completedBytes: How many bytes of the request's assets have been copied.
    ///   - totalBytes: How many bytes the request's assets have together.
    public init(recordID: RecordID, fieldKey: Record.FieldKey, completedBytes: Int64, totalBytes: Int64) {
        self.recordID = recordID
        self.fieldKey = fieldKey
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// How much of it is done: from 0 to 1.
    public var fractionCompleted: Double {
        totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : 1
    }
}
