package import Cabinet

/// The columns that a statement selects for the records of one table: those of every record, and those of the fields.
///
/// The columns are mapped to fields once, not for each row. A record's ID comes before these columns. The type is not generic,
/// because the compiler does not specialize generic code for another module, and each row runs it.
package struct RecordColumns {
    private let recordType: Record.RecordType
    private let tableName: String
    /// The fields to read.
    package let fields: FieldSelection
    /// The fields' values in a row, in the order of the fields.
    package let slots: [Slot]
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
    }

    /// Returns the fields of a row.
    ///
    /// - Parameter value: Returns the value of a field by position.
    package func fields(_ value: (Int, Slot) throws -> FieldValue?) rethrows -> FieldValues {
        var values: [FieldValue?] = []
        values.reserveCapacity(slots.count)
        for position in slots.indices { values.append(try value(position, slots[position])) }
        return FieldValues(names: fields.names, values: values, isComplete: fields.isComplete)
    }

    /// Returns the record of a row with its fields, which shares what it has in common with the previous one.
    package mutating func record(
        _ recordID: RecordID, in row: some SQLRow, _ fields: FieldValues
    ) throws -> StoredRecord {
        guard let sequenceNumber = row.integer(start) else { throw damaged(system: 0, recordID, row) }
        guard let creationDate = row.date(start + 1) else { throw damaged(system: 1, recordID, row) }
        guard let modificationDate = row.date(start + 3) else { throw damaged(system: 3, recordID, row) }
        guard let insertionNumber = row.integer(start + 6) else { throw damaged(system: 6, recordID, row) }
        return StoredRecord(
            recordID: recordID, sequenceNumber: sequenceNumber, insertionNumber: insertionNumber,
            creationDate: creationDate, modificationDate: modificationDate,
            attribution: try attribution(recordID, row), fields: fields)
    }

    private mutating func attribution(_ recordID: RecordID, _ row: some SQLRow) throws -> StoredRecord.Attribution {
        guard creator.read(start + 2, of: row) else { throw damaged(system: 2, recordID, row) }
        if creator.isNew { attribution = nil }
        guard modifier.read(start + 4, of: row) else { throw damaged(system: 4, recordID, row) }
        if modifier.isNew { attribution = nil }
        let hasParent = parent.read(start + 5, of: row)
        guard hasParent || row.isNull(start + 5) else { throw damaged(system: 5, recordID, row) }
        if hasParent, parent.isNew { attribution = nil }
        if let attribution, hasParent == (attribution.parentName != nil) { return attribution }
        let new = StoredRecord.Attribution(
            recordType: recordType, creatorName: creator.text, lastModifierName: modifier.text,
            parentName: hasParent ? parent.text : nil)
        attribution = new
        return new
    }

    private func damaged(system offset: Int, _ recordID: RecordID, _ row: some SQLRow) -> CabinetError {
        damaged(SQLColumn.systemNames[offset], recordID, row)
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

    fileprivate static let systemNames = [
        "___etag", "___createTime", "___createdBy", "___modTime", "___modifiedBy", "___parent", "___insertion",
    ]
}
