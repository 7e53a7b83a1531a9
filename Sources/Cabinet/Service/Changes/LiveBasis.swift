/// A state of a database, as far as a live query depends on it.
struct LiveBasis: Sendable, Hashable {
    /// The end of the change feed.
    var end = TimelinePoint()
    /// The fields of the queried record type, which decide what a filter means.
    var fields: [Record.FieldKey: FieldType] = [:]
    /// The text fields that a search for words reads.
    var searchable: [Record.FieldKey] = []
    /// The fingerprint of the records that the user may read; `nil` for all.
    var readAccess: String?
}

extension LiveBasis: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("end", &end)
        var fields = CodedDictionary(fields)
        try coder.part("fields", &fields)
        self.fields = fields.values
        try coder.part("searchable", &searchable)
        try coder.part("readAccess", &readAccess)
    }
}

/// A zone with the number of a change.
struct NumberedZone: Sendable, Hashable {
    var zoneID = RecordZone.ID.default
    var number: Int64 = 0
}

extension NumberedZone: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("zone", &zoneID)
        try coder.part("number", &number)
    }
}
