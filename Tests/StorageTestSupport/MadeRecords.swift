package import Cabinet
import Foundation

extension StorageTransaction {
    /// Adds the types and fields that records need, and inserts the records under new sequence numbers.
    package func insertWithSchema(_ records: [StoredRecord]) async throws -> [StoredRecord] {
        for record in records {
            let known = try await schema().recordTypes[record.recordType]
            var fields: [StoredField] = []
            record.fields.forEach { name, value in
                if known?[name] == nil { fields.append(StoredField(name: name, type: value.fieldType)) }
            }
            if known == nil || !fields.isEmpty { try await add(fields, to: record.recordType) }
        }
        let first = try await reserveSequenceNumbers(records.count)
        let numbered = records.enumerated().map { offset, record in
            var record = record
            record.sequenceNumber = first + Int64(offset)
            return record
        }
        try await insert(numbered)
        return numbered
    }
}

extension StoredRecord {
    /// A record for tests.
    package init(
        _ name: String, type: String = "Items", zone: RecordZone.ID = .default, _ fields: [(String, FieldValue)] = []
    ) {
        var values = RecordFields.empty
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
