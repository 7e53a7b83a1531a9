package import Cabinet
import Foundation

extension StorageTransaction {
    /// Adds the types and fields that records need, and inserts the records under new sequence numbers.
    package func insertWithSchema(_ records: [StoredRecord]) async throws -> [StoredRecord] {
        let state = StorageKey("database")
        let values = try await load(StorageKeys(entries: [state]))
        var mutations: [StorageMutation] = []
        var types = values.schema.recordTypes
        for record in records {
            let known = types[record.recordType]
            var fields: [StoredField] = []
            record.fields.forEach { name, value in
                if known?[name] == nil { fields.append(StoredField(name: name, type: value.fieldType)) }
            }
            if known != nil, fields.isEmpty { continue }
            mutations.append(.addFields(fields, to: record.recordType))
            for field in fields { types[record.recordType, default: [:]][field.name] = field.type }
            if known == nil, fields.isEmpty { types[record.recordType] = [:] }
        }
        // The core's entry begins with the last number that it has reserved, so that its next ones follow.
        let parts = (values.entries.first ?? nil)?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        let last = parts.first.flatMap { Int64($0) } ?? 0
        let numbered = records.enumerated().map { offset, record in
            var record = record
            record.sequenceNumber = last + 1 + Int64(offset)
            record.insertionNumber = record.sequenceNumber
            return record
        }
        let text = (["\(last + Int64(records.count))"] + parts.dropFirst()).joined(separator: " ")
        try await apply(mutations + [.setEntry(state, text)] + numbered.map(StorageMutation.insert))
        return numbered
    }
}

extension StoredRecord {
    /// A record for tests.
    package init(
        _ name: String, type: String = "Items", zone: RecordZone.ID = .default, _ fields: [(String, FieldValue)] = []
    ) {
        var values = FieldValues.empty
        for (key, value) in fields { values[key] = value }
        self.init(
            recordID: RecordID(recordName: name, zoneID: zone), recordType: type, sequenceNumber: 0,
            creationDate: Date(timeIntervalSinceReferenceDate: 700_000_000.25), creatorName: "_creator",
            modificationDate: Date(timeIntervalSinceReferenceDate: 700_000_001.125), lastModifierName: "_modifier",
            fields: values)
    }
}

extension Reference {
    package init(_ name: String, zone: RecordZone.ID = .default, _ action: Action = .deleteSelf) {
        self.init(recordID: RecordID(recordName: name, zoneID: zone), action: action)
    }
}
