import Cabinet
import CloudKit
import Foundation

/// A request to save and delete records, with CloudKit's objects and the results so far.
struct RecordBatch {
    let request: ModifyRecordsRequest
    /// The objects to save, by record.
    var objects: [RecordID: CKRecord] = [:]
    private(set) var saved: [RecordID: Record] = [:]
    private(set) var deleted: Set<RecordID> = []
    var failures: [RecordID: CabinetError]
    private let ids: [RecordID]
    private let sent: [RecordID: Record]

    init(_ request: ModifyRecordsRequest) {
        self.request = request
        ids = request.recordsToSave.map(\.recordID) + request.recordIDsToDelete
        sent = Dictionary(request.recordsToSave.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        failures = request.refusals
        // CloudKit ends the program on some malformed names.
        for id in ids where failures[id] == nil { failures[id] = id.nameViolation }
        for record in request.recordsToSave where failures[record.recordID] == nil {
            failures[record.recordID] = ValueRule.violation(in: record.withPlainValues)
        }
    }

    /// Sets the fields that the save sends.
    mutating func write(_ records: [Record], by writer: inout RecordWriter) {
        for record in records {
            guard failures[record.recordID] == nil, let object = objects[record.recordID] else { continue }
            do throws(CabinetError) {
                try writer.write(record, to: object, request.savePolicy)
            } catch {
                failures[record.recordID] = error
            }
        }
    }

    /// Fails the other records of each zone in which one has failed.
    mutating func failZones() {
        let zones = Set(failures.keys.map(\.zoneID))
        for id in ids where zones.contains(id.zoneID) && failures[id] == nil { failures[id] = Self.other }
    }

    /// The changes that have not failed, in the order of the request.
    var changesToSend: [(id: RecordID, isDeletion: Bool)] {
        let changes =
            request.recordsToSave.map { (id: $0.recordID, isDeletion: false) }
            + request.recordIDsToDelete.map { (id: $0, isDeletion: true) }
        return changes.filter { failures[$0.id] == nil }
    }

    mutating func record(
        _ result: Result<CKRecord, any Error>, ofSave id: RecordID, _ reader: RecordReader
    ) {
        do {
            saved[id] = try reader.record(try result.get(), sent: sent[id])
        } catch {
            failures[id] = CabinetError(cloudKit: error, of: id, reader)
        }
    }

    mutating func record(_ result: Result<Void, any Error>, ofDeletion id: RecordID, _ reader: RecordReader) {
        switch result {
        case .success: deleted.insert(id)
        case .failure(let error): failures[id] = CabinetError(cloudKit: error, of: id, reader)
        }
    }

    /// Records the results that an operation has left out, from the errors of the operation as a whole.
    mutating func complete(_ ids: [RecordID], _ failure: CabinetError?) {
        let items = failure?.partialErrorsByItemID ?? [:]
        for id in ids where saved[id] == nil && failures[id] == nil && !deleted.contains(id) {
            failures[id] =
                items[id] ?? (items.isEmpty ? nil : Self.other)
                ?? CabinetError(.internalError, "iCloud gave no result for the record.", recordID: id)
        }
    }

    func saveResult(of id: RecordID) -> Result<Record, CabinetError> {
        if let failure = failures[id] { return .failure(failure) }
        return saved[id].map(Result.success)
            ?? .failure(CabinetError(.internalError, "iCloud gave no result for the record.", recordID: id))
    }

    private static let other = CabinetError(
        .batchRequestFailed, "Another record of the batch failed, so this one was not saved.")
}

extension Record {
    /// The record with the values themselves instead of those that CloudKit encrypts.
    fileprivate var withPlainValues: Record {
        var record = self
        for key in encryptedValues.allKeys() {
            guard case .encrypted(let value)? = fields[key], value.ciphertext == nil else { continue }
            record.setFieldValue(value.value, forKey: key)
        }
        return record
    }
}
