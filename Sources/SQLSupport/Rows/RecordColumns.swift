package import Cabinet

/// The columns that a statement selects for the records of one table: those of every record, and those of the fields.
///
/// The columns are mapped to fields once, not for each row. A record's ID comes before these columns. The type is not generic, and
/// gets the values instead of the row: the compiler does not specialize generic code for another module.
package struct RecordColumns {
    private let recordType: Record.RecordType
    private let tableName: String
    /// The fields to read.
    package let fields: FieldSelection
    /// The fields' values in a row, in the order of the fields.
    package let slots: [Slot]
    /// The positions of encrypted fields, and their types.
    private let encrypted: [(position: Int, type: FieldType)]
    /// The position of the first column.
    private let start: Int
    /// The position after the last column.
    package let end: Int

    private var creator = StringCache()
    private var modifier = StringCache()
    private var parent = StringCache()
    private var attribution: StoredRecord.Attribution?

    /// A field's value in a row.
    ///
    /// It contains no object references, so reading it needs no reference counting.
    package struct Slot {
        /// The type of the value, or of a list's elements; `nil` if the field has no column.
        package let scalar: FieldType.Scalar?
        package let isList: Bool
        /// The position of the value's column; a reference's action is in the next one.
        package let index: Int
    }

    /// Selects the columns of a table.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - keys: The fields to read, or `nil` for all.
    ///   - start: The number of columns of the record's ID.
    ///   - skippedCount: The number of columns of other tables before those of the fields.
    package init(of table: some SQLTable, keys: [Record.FieldKey]?, from start: Int, skippedCount: Int = 0) {
        recordType = table.recordType
        tableName = table.name
        self.start = start
        fields = FieldSelection(keys, of: table.fields)
        var end = start + SQLColumn.system.count + skippedCount
        slots = fields.columns.map { column in
            defer { end += column.map { $0.quotedAction == nil ? 1 : 2 } ?? 0 }
            return Slot(scalar: column?.type.scalar, isList: column?.type.isList ?? false, index: end)
        }
        self.end = end
        encrypted = fields.columns.enumerated().compactMap { position, column in
            guard let type = column?.type, type.isEncrypted else { return nil }
            return (position, type)
        }
    }

    /// Returns the record of a row with its fields, which shares what it has in common with the previous one.
    ///
    /// - Parameters:
    ///   - recordID: The record's ID.
    ///   - row: The row, for errors.
    ///   - system: The row's values that every record has.
    ///   - values: The values of the fields.
    ///   - decoded: Decodes the bytes of a text; returns `nil` if they are invalid.
    package mutating func record(
        _ recordID: RecordID, in row: some SQLRow, _ system: SystemValues, _ values: [FieldValue?],
        _ decoded: (UnsafeBufferPointer<UInt8>) -> String?
    ) throws -> StoredRecord {
        do {
            if encrypted.isEmpty { return try record(recordID, system, values, decoded) }
            var values = values
            for (position, type) in encrypted {
                guard case .bytes(let data)? = values[position] else { continue }
                values[position] = EncryptedValue(type, ciphertext: data).map { .encrypted($0) }
            }
            return try record(recordID, system, values, decoded)
        } catch {
            throw damaged(error.name, recordID, row)
        }
    }

    private mutating func record(
        _ recordID: RecordID, _ row: SystemValues, _ values: [FieldValue?],
        _ decoded: (UnsafeBufferPointer<UInt8>) -> String?
    ) throws(DamagedColumn) -> StoredRecord {
        guard let sequenceNumber = row.sequenceNumber else { throw DamagedColumn(system: 0) }
        guard let creationDate = row.creationDate else { throw DamagedColumn(system: 1) }
        guard let modificationDate = row.modificationDate else { throw DamagedColumn(system: 3) }
        guard let insertionNumber = row.insertionNumber else { throw DamagedColumn(system: 6) }
        return StoredRecord(
            recordID: recordID, sequenceNumber: sequenceNumber, insertionNumber: insertionNumber,
            creationDate: creationDate, modificationDate: modificationDate,
            attribution: try attribution(row, decoded),
            fields: FieldValues(names: fields.names, values: values, isComplete: fields.isComplete))
    }

    private mutating func attribution(
        _ row: SystemValues, _ decoded: (UnsafeBufferPointer<UInt8>) -> String?
    ) throws(DamagedColumn) -> StoredRecord.Attribution {
        guard creator.read(row.creator, decoded) else { throw DamagedColumn(system: 2) }
        if creator.isNew { attribution = nil }
        guard modifier.read(row.modifier, decoded) else { throw DamagedColumn(system: 4) }
        if modifier.isNew { attribution = nil }
        if row.hasParent {
            guard parent.read(row.parent, decoded) else { throw DamagedColumn(system: 5) }
            if parent.isNew { attribution = nil }
        }
        if let attribution, row.hasParent == (attribution.parentName != nil) { return attribution }
        let new = StoredRecord.Attribution(
            recordType: recordType, creatorName: creator.text, lastModifierName: modifier.text,
            parentName: row.hasParent ? parent.text : nil)
        attribution = new
        return new
    }

    /// Returns the error for a field's value that is not of its type.
    package func damaged(_ position: Int, _ recordID: RecordID, _ row: some SQLRow) -> CabinetError {
        damaged(fields.columns[position]?.name ?? "", recordID, row)
    }

    /// Returns the error for a column whose value is not of its type.
    package func damaged(_ column: String, _ recordID: RecordID?, _ row: some SQLRow) -> CabinetError {
        let record = recordID.map { "record '\($0.recordName)'" } ?? "row \(row.integer(start + 6) ?? 0)"
        return row.damaged("column \(column) of table \(tableName), \(record), has a value of another type")
    }
}

extension SQLColumn {
    /// The quoted columns that every table has for the ID of a record.
    package static let id = [#""___recordID""#, #""___zone""#]

    /// The quoted columns that every table has for a record, except for those of its ID.
    package static let system = systemNames.map(SQLName.quoted)

    /// The names of the columns that every table has for a record.
    package static let allSystemNames = ["___recordID", "___zone"] + systemNames

    static let systemNames = [
        "___etag", "___createTime", "___createdBy", "___modTime", "___modifiedBy", "___parent", "___insertion",
    ]
}
