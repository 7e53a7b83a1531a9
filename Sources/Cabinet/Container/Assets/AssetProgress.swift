/// The progress of copying a request's assets into the store while the records are being saved.
public struct AssetProgress: Sendable, Hashable {
    /// The record.
    public let recordID: RecordID

    /// The field whose asset is being copied.
    public let fieldKey: Record.FieldKey

    /// The number of bytes of the request's assets copied so far.
    public let completedBytes: Int64

    /// The total number of bytes of the request's assets.
    public let totalBytes: Int64

    /// Creates a progress value, to test a program's handler with.
    ///
    /// - Parameters:
    ///   - recordID: The record.
    ///   - fieldKey: The field whose asset is being copied.
    ///   - completedBytes: The number of bytes of the request's assets copied so far.
    ///   - totalBytes: The total number of bytes of the request's assets.
    public init(recordID: RecordID, fieldKey: Record.FieldKey, completedBytes: Int64, totalBytes: Int64) {
        self.recordID = recordID
        self.fieldKey = fieldKey
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }

    /// The completed fraction, from 0 to 1.
    public var fractionCompleted: Double {
        totalBytes > 0 ? Double(completedBytes) / Double(totalBytes) : 1
    }
}
