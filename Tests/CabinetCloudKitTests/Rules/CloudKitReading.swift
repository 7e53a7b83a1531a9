@testable import Cabinet
@testable import CabinetCloudKit
import CoreLocation
import Foundation

extension CabinetError {
    /// Reads an error of CloudKit's classes from its code and details.
    ///
    /// CloudKit has no keys for a record, a field and a cause, which the underlying error names.
    init(reading error: any Error) {
        guard let error = error as? CKError else {
            self.init(.internalError, "The classes threw another error: \(error)")
            return
        }
        let conflict = error.serverRecord.map { server in
            RecordConflict(
                clientRecord: error.clientRecord?.value ?? server.value, serverRecord: server.value,
                ancestorRecord: error.ancestorRecord?.value)
        }
        let failures = (error.partialErrorsByItemID ?? [:]).compactMap { id, failure in
            (id as? CKRecord.ID).map { ($0.value, CabinetError(reading: failure)) }
        }
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? CabinetError
        self.init(
            Code(rawValue: error.code.rawValue), error.userInfo[NSLocalizedDescriptionKey] as? String ?? "",
            recordID: underlying?.recordID, fieldKey: underlying?.fieldKey,
            underlyingError: underlying?.underlyingError,
            retryAfterSeconds: error.retryAfterSeconds, conflict: conflict,
            partialErrorsByItemID: Dictionary(uniqueKeysWithValues: failures))
    }

    /// Runs a closure, and throws the errors of CloudKit's classes as Cabinet's.
    static func reading<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch {
            throw CabinetError(reading: error)
        }
    }

    /// Returns the result of a closure, with an error of CloudKit's classes as Cabinet's.
    static func reading<Success>(_ body: () throws -> Success) -> Result<Success, CabinetError> {
        Result(catching: body).mapError(CabinetError.init(reading:))
    }
}

extension Dictionary {
    /// Reads the results of a request to CloudKit's classes.
    func read<Object, ID: Hashable, Success>(
        id: (Key) -> ID, value: (Object) -> Success
    ) -> [ID: Result<Success, CabinetError>] where Value == Result<Object, any Error> {
        let results = map { key, result in (id(key), result.map(value).mapError(CabinetError.init(reading:))) }
        return [ID: Result<Success, CabinetError>](uniqueKeysWithValues: results)
    }
}

extension CKRecord {
    /// Creates an object for a record, and sets each changed field to the object that the field has.
    static func setting(_ record: Record) -> CKRecord {
        let object = CKRecord.object(record, of: nil)
        for key in record.changedKeys() where record.misfits[key] == nil {
            switch object[key] {
            // An empty list of numbers does not show their type, and a CLLocation always has a time.
            case nil, is CLLocation, is [CLLocation]: break
            case let list as [NSNumber] where list.isEmpty: break
            case let value: object[key] = value
            }
        }
        return object
    }
}

extension CKQuery {
    /// Creates a query with a predicate and sort descriptors.
    convenience init(_ query: Query) {
        self.init(recordType: query.recordType, predicate: NSPredicate(filter: query.filter))
        sortDescriptors = query.sortDescriptors.map(NSSortDescriptor.from)
    }
}

extension CKModifyRecordsOperation.RecordSavePolicy {
    /// Creates CloudKit's policy of a name.
    init(_ policy: RecordSavePolicy) {
        switch policy {
        case .ifServerRecordUnchanged: self = .ifServerRecordUnchanged
        case .changedKeys: self = .changedKeys
        case .allKeys: self = .allKeys
        }
    }
}

extension DatabaseChange.Deletion.Reason {
    /// Creates Cabinet's reason from CloudKit's.
    init(_ reason: CKDatabase.DatabaseChange.Deletion.Reason) {
        switch reason {
        case .deleted: self = .deleted
        case .purged: self = .purged
        case .encryptedDataReset: self = .encryptedDataReset
        }
    }
}
