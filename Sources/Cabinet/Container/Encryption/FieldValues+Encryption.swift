import Foundation

extension FieldValues {
    /// Whether a value has to be encrypted: one without a ciphertext or, of all keys, each one that is known.
    func haveValuesToEncrypt(ofAllKeys includesAll: Bool) -> Bool {
        guard firstEncryptedKey != nil else { return false }
        return values.contains { value in
            value?.encryptedValue.map { $0.ciphertext == nil || includesAll && $0.value != nil } ?? false
        }
    }

    /// The fields as they leave the container: each encrypted value with its ciphertext alone, and those without one left out.
    var withCiphertexts: FieldValues {
        mappingEncryptedValues { value, _ in
            value.ciphertext.flatMap { EncryptedValue(value.fieldType, ciphertext: $0) }
        }
    }
}

extension Record {
    /// Whether the record was fetched with an encrypted value.
    var hasFetchedEncryptedValues: Bool { fetched?.fields.firstEncryptedKey != nil }

    /// The record as it leaves the container, with new ciphertexts; without a value that has none, whose record is refused.
    ///
    /// The fetched values keep their ciphertexts, so that a value that was encrypted again counts as changed.
    func withCiphertexts(_ new: [Record.FieldKey: EncryptedValue] = [:]) -> Record {
        var record = mappingFields(\.withCiphertexts)
        for (key, value) in new { record.setFieldValue(.encrypted(value), forKey: key) }
        return record
    }
}

extension ModifyRecordsRequest {
    private var hasUnencryptedValues: Bool {
        // Not a closure, which takes a block of memory for each record in a debug build.
        for position in recordsToSave.indices where recordsToSave[position].fields.firstUnencryptedKey != nil {
            return true
        }
        return false
    }

    /// Returns a request in which the records with values to encrypt fail, for a container without a key store.
    func refusingUnencryptedValues() -> ModifyRecordsRequest {
        guard hasUnencryptedValues else { return self }
        var request = self
        for (position, record) in recordsToSave.enumerated() {
            guard let key = record.fields.firstUnencryptedKey else { continue }
            request.refusals[record.recordID] =
                EncryptionRule.violation(saving: record, in: scope)
                ?? CabinetError(
                    .invalidArguments,
                    "The value of '\(key)' has to be encrypted, and the container has no key store. Create the container with "
                        + "encrypting(with:). With a mirror, save the record in the container that it mirrors.",
                    recordID: record.recordID, fieldKey: key)
            request.recordsToSave[position] = record.withCiphertexts()
        }
        return request
    }
}

/// A request whose response has records.
protocol RequestForRecords: ServiceRequest {
    /// The database of the records.
    var scope: DatabaseScope { get }

    /// Whether the request reads records of one zone, so that it fails if the zone's keys are lost.
    ///
    /// A query over all zones, for instance, returns the records of the others. A save was carried out, also if its values cannot be read.
    var isOfOneZone: Bool { get }
}

extension RequestForRecords {
    var isOfOneZone: Bool { false }

    /// Returns the database of a zone's records: an owner opens a share as its participants do, and has its zone in the private database.
    func scope(of zoneID: RecordZone.ID) -> DatabaseScope {
        scope == .shared && zoneID.ownerName == RecordZone.ID.defaultOwnerName ? .private : scope
    }
}

/// A response that has records.
protocol ResponseWithRecords: ServiceValue {
    /// Replaces each record, also the server's records of conflicts.
    mutating func mapRecords(_ transform: (Record) -> Record)
}

extension FetchRecordsRequest: RequestForRecords {
    var isOfOneZone: Bool { Set(recordIDs.map(\.zoneID)).count == 1 }
}

extension QueryRecordsRequest: RequestForRecords {
    var isOfOneZone: Bool { zoneID != nil }
}

extension FetchLiveChangesRequest: RequestForRecords {
    var isOfOneZone: Bool { zoneID != nil }
}

extension FetchZoneChangesRequest: RequestForRecords {
    var isOfOneZone: Bool { true }
}

extension ModifyRecordsRequest: RequestForRecords {}

extension FetchShareMetadataRequest: RequestForRecords {
    var scope: DatabaseScope { .shared }
}

extension FetchRecordsRequest.Response: ResponseWithRecords {
    mutating func mapRecords(_ transform: (Record) -> Record) { results = results.map { $0.mapRecord(transform) } }
}

extension ModifyRecordsRequest.Response: ResponseWithRecords {
    mutating func mapRecords(_ transform: (Record) -> Record) {
        saveResults = saveResults.map { $0.mapRecord(transform) }
    }
}

extension QueryRecordsRequest.Response: ResponseWithRecords {
    mutating func mapRecords(_ transform: (Record) -> Record) { records = records.map(transform) }
}

extension FetchLiveChangesRequest.Response: ResponseWithRecords {
    mutating func mapRecords(_ transform: (Record) -> Record) { records = records.map(transform) }
}

extension FetchZoneChangesRequest.Response: ResponseWithRecords {
    mutating func mapRecords(_ transform: (Record) -> Record) { records = records.map(transform) }
}

extension FetchShareMetadataRequest.Response: ResponseWithRecords {
    mutating func mapRecords(_ transform: (Record) -> Record) {
        for position in results.indices {
            guard case .success(var metadata) = results[position] else { continue }
            metadata.rootRecord = metadata.rootRecord.map(transform)
            results[position] = .success(metadata)
        }
    }
}

extension Result where Success == Record, Failure == CabinetError {
    fileprivate func mapRecord(_ transform: (Record) -> Record) -> Self {
        switch self {
        case .success(let record): return .success(transform(record))
        case .failure(var error):
            guard let conflict = error.conflict else { return self }
            error.conflict = RecordConflict(
                clientRecord: conflict.clientRecord, serverRecord: transform(conflict.serverRecord),
                ancestorRecord: conflict.ancestorRecord)
            return .failure(error)
        }
    }
}
