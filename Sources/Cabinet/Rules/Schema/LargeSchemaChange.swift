/// A change of a schema that changes records, all in one transaction.
enum LargeSchemaChange {
    /// A field or record type is removed.
    case drop
    /// The values of a field become those of another type.
    case conversion
    /// Hidden fields get the values of an index.
    case index

    /// The maximum number of records that are read at a time.
    static let pageSize = 256

    /// The maximum size of the records that a transaction holds in memory, in bytes: 64 MiB.
    static let maximumSize = 64 << 20

    /// Returns the size of records, estimated in bytes.
    static func size(of records: [StoredRecord]) -> Int {
        records.reduce(records.count * 256) { $0 + $1.fields.byteCount }
    }

    /// Throws if the records are too large for one transaction.
    func check(size: Int, of part: SchemaPart) throws(CabinetError) {
        guard size > Self.maximumSize else { return }
        let way =
            switch self {
            case .drop where part.fieldKey == nil: "Delete its records first, in batches."
            case .drop: "Remove its values first, by a migration whose .forEachRecord sets the field to nil."
            case .conversion: "Copy its values into a field with another name, by a migration's .forEachRecord."
            case .index: "Other programs have changed too many of them since. Try again."
            }
        throw CabinetError(
            .limitExceeded,
            "The records of \(part.subject) take more than \(Self.maximumSize >> 20) MiB, which is too much for one transaction. "
                + way, fieldKey: part.fieldKey)
    }
}
