import Cabinet

/// Throws unless values are read as they were saved: in the result of the save, by ID, by a query, and again after each
/// has replaced another.
func expectRoundTrip<Value: RecordValue>(
    _ values: [Value], in world: ConformanceWorld, type: Record.RecordType = "Samples", fileID: String = #fileID,
    line: Int = #line
) async throws {
    // Rules fetch `sample0` and its like; the records of other types need other names.
    let prefix = type == "Samples" ? "" : type
    let records = values.enumerated().map { Record(type, "\(prefix)sample\($0.offset)", ["value": $0.element]) }
    try await expectSaved(records, in: world, fileID: fileID, line: line)

    let others = values.dropFirst() + values.prefix(1)
    let saved = try await world.privateDatabase().records(for: records.map(\.recordID))
    let changed = try zip(records, others).map { record, value in
        try require(saved[record.recordID], "The record").get().with(["value": value])
    }
    try await expectSaved(changed, in: world, fileID: fileID, line: line)
}

private func expectSaved(
    _ records: [Record], in world: ConformanceWorld, fileID: String, line: Int
) async throws {
    let saved = try await world.privateDatabase().saveAll(records)
    let otherDevice = try world.privateDatabase()
    let fetched = try await otherDevice.records(for: records.map(\.recordID))
    let types = Set(records.map(\.recordType))
    var found: [RecordID: Record] = [:]
    for type in types {
        for record in try await otherDevice.allRecords(matching: Query(recordType: type)) {
            found[record.recordID] = record
        }
    }
    for (record, answer) in zip(records, saved) {
        let value = record.fieldValue("value")
        let id = record.recordID
        try expect("The result of the save", answer.fieldValue("value"), equals: value, fileID: fileID, line: line)
        let byID = try require(fetched[id], "The record fetched by ID", fileID: fileID, line: line).get()
        try expect("The record fetched by ID", byID.fieldValue("value"), equals: value, fileID: fileID, line: line)
        let byQuery = try require(found[id], "The record found by a query", fileID: fileID, line: line)
        try expect(
            "The record found by a query", byQuery.fieldValue("value"), equals: value, fileID: fileID, line: line)
    }
}

/// Throws unless saving a value is refused with an error that names the record and the field, and changes nothing.
func expectRefused(
    _ value: any RecordValue, in world: ConformanceWorld, naming words: [String] = [], fileID: String = #fileID,
    line: Int = #line
) async throws {
    let database = try world.privateDatabase()
    try await expectError(
        .invalidArguments, naming: words, about: .named("refused"), in: "value", fileID: fileID, line: line
    ) {
        try await database.save(Record("Samples", "refused", ["value": value]))
    }
    let existing = try await database.existing(["refused"])
    try expect("The records after the refusal", existing, equals: [], fileID: fileID, line: line)
}
