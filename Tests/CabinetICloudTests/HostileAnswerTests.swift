import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetCloudKit
@testable import CabinetICloud

/// A container whose private database answers operations in its own way.
// Unchecked, and safe: the property is a constant.
private final class HostileContainer: CKContainer, @unchecked Sendable {
    let database: HostileDatabase

    init(_ world: ICloudWorld, answer: @escaping @Sendable (CKDatabaseOperation) -> Bool) {
        database = HostileDatabase(world, answer)
        super.init(identifier: "iCloud.com.example.test", registry: world.registry)
    }

    override var privateCloudDatabase: CKDatabase { database }
}

// Unchecked, and safe: the property is a constant.
private final class HostileDatabase: CKDatabase, @unchecked Sendable {
    /// Answers an operation, or returns `false` to run it.
    let answer: @Sendable (CKDatabaseOperation) -> Bool

    init(_ world: ICloudWorld, _ answer: @escaping @Sendable (CKDatabaseOperation) -> Bool) {
        self.answer = answer
        super.init(scope: .private, identifier: "iCloud.com.example.test", registry: world.registry)
    }

    override func add(_ operation: CKDatabaseOperation) {
        if !answer(operation) { super.add(operation) }
    }
}

@Suite("An answer of iCloud")
struct HostileAnswerTests {
    private func database(
        retryTimeLimit: Duration = .zero, _ answer: @escaping @Sendable (CKDatabaseOperation) -> Bool
    ) throws -> Database {
        let cloud = HostileContainer(ICloudWorld(), answer: answer)
        var configuration = ICloudConfiguration()
        configuration.retryTimeLimit = retryTimeLimit
        return try Container(iCloud: cloud, userRecordName: "_anna", configuration: configuration).privateDatabase
    }

    private static let failure = CKError(
        .requestRateLimited, userInfo: [NSLocalizedDescriptionKey: "Slow down.", CKErrorRetryAfterKey: 2.5])

    @Test("that lacks the result of a record is an error of the record")
    func missingResults() async throws {
        let database = try database { operation in
            switch operation {
            case let fetch as CKFetchRecordsOperation: fetch.fetchRecordsResultBlock?(.success(()))
            case let save as CKModifyRecordsOperation: save.modifyRecordsResultBlock?(.success(()))
            case let changes as CKFetchRecordZoneChangesOperation:
                changes.fetchRecordZoneChangesResultBlock?(.success(()))
            default: return false
            }
            return true
        }
        let record = Record(recordType: "Items")
        #expect(await error { try await database.record(for: record.recordID) }?.code == .internalError)
        #expect(await error { try await database.save(record) }?.code == .internalError)
        #expect(await error { try await database.deleteRecord(withID: record.recordID) }?.code == .internalError)
        let changes = await error { try await database.recordZoneChanges(inZoneWith: .default, since: nil) }
        #expect(changes?.code == .internalError)
    }

    @Test("that fails as a whole keeps its code, its text and its delay")
    func wholeFailure() async throws {
        let database = try database { operation in
            switch operation {
            case let fetch as CKFetchRecordsOperation: fetch.fetchRecordsResultBlock?(.failure(Self.failure))
            case let save as CKModifyRecordsOperation: save.modifyRecordsResultBlock?(.failure(Self.failure))
            case let query as CKQueryOperation: query.queryResultBlock?(.failure(Self.failure))
            default: return false
            }
            return true
        }
        let record = Record(recordType: "Items")
        let errors = [
            await error { try await database.record(for: record.recordID) },
            await error { try await database.save(record) },
            await error { try await database.records(matching: Query(recordType: "Items")) },
        ]
        for error in errors {
            #expect(error?.code == .requestRateLimited)
            #expect(error?.message == "Slow down.")
            #expect(error?.retryAfterSeconds == 2.5)
        }
    }

    @Test("that asks for a delay is followed by another request, within the time that is set")
    func delay() async throws {
        let requests = Mutex(0)
        let database = try database(retryTimeLimit: .seconds(30)) { operation in
            guard let query = operation as? CKQueryOperation else { return false }
            let seconds = requests.withLock {
                $0 += 1
                return [0.01, 0, 1e300][$0 - 1]
            }
            query.queryResultBlock?(.failure(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: seconds])))
            return true
        }
        let error = await error { try await database.records(matching: Query(recordType: "Items")) }
        #expect(error?.code == .zoneBusy)
        #expect(requests.withLock { $0 } == 3)
    }

    @Test("that asks for no delay is followed by another request after a pause")
    func noDelay() async throws {
        let requests = Mutex(0)
        let database = try database(retryTimeLimit: .milliseconds(350)) { operation in
            guard let query = operation as? CKQueryOperation else { return false }
            requests.withLock { $0 += 1 }
            query.queryResultBlock?(.failure(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 0.0])))
            return true
        }
        let error = await error { try await database.records(matching: Query(recordType: "Items")) }
        #expect(error?.code == .zoneBusy)
        #expect(requests.withLock { $0 } <= 4)
    }

    @Test("that reports the records' failures at the end alone fails these records")
    func partialFailure() async throws {
        let database = try database { operation in
            guard let save = operation as? CKModifyRecordsOperation else { return false }
            let ids = (save.recordsToSave ?? []).map(\.recordID)
            let items: [AnyHashable: any Error] = [ids[0]: CKError(.quotaExceeded)]
            save.perRecordSaveBlock?(CKRecord.ID(recordName: "unknown"), .failure(CKError(.internalError)))
            save.modifyRecordsResultBlock?(
                .failure(CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: items])))
            return true
        }
        let records = [Record(recordType: "Items"), Record(recordType: "Items")]
        let failure = await error { try await database.modifyRecords(saving: records, deleting: []) }
        #expect(failure?.code == .partialFailure)
        #expect(failure?.partialErrorsByItemID[records[0].recordID]?.code == .quotaExceeded)
        #expect(failure?.partialErrorsByItemID[records[1].recordID]?.code == .batchRequestFailed)
        #expect(failure?.partialErrorsByItemID.count == 2)
    }

    @Test("that fails the second operation of a request is that of its records alone")
    func secondOperation() async throws {
        let operations = Mutex(0)
        let database = try database(retryTimeLimit: .seconds(30)) { operation in
            guard let save = operation as? CKModifyRecordsOperation,
                operations.withLock({
                    $0 += 1; return $0
                }) == 2
            else { return false }
            save.modifyRecordsResultBlock?(.failure(Self.failure))
            return true
        }
        let records = (0..<ICloudRequestHandler.maximumCount + 1).map {
            Record(recordType: "Items", recordID: RecordID(recordName: "\($0)"))
        }
        let results = try await database.modifyRecords(saving: records, deleting: [], atomically: false).saveResults
        #expect(results.values.filter { $0.record != nil }.count == ICloudRequestHandler.maximumCount)
        #expect(results.values.compactMap(\.code) == [.requestRateLimited])
        #expect(operations.withLock { $0 } == 2)
    }

    @Test("with a failed record in a query fails the query")
    func failedRecord() async throws {
        let database = try database { operation in
            guard let query = operation as? CKQueryOperation else { return false }
            query.recordMatchedBlock?(CKRecord.ID(recordName: "a"), .failure(CKError(.permissionFailure)))
            query.queryResultBlock?(.success(nil))
            return true
        }
        let error = await error { try await database.records(matching: Query(recordType: "Items")) }
        #expect(error?.code == .permissionFailure)
    }

    @Test("is awaited no longer than the task lives", .timeLimit(.minutes(15)))
    func cancellation() async throws {
        let database = try database { operation in
            guard let query = operation as? CKQueryOperation else { return false }
            Task {
                while !query.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
                query.queryResultBlock?(.failure(CKError(.operationCancelled)))
            }
            return true
        }
        let task = Task { await error { try await database.records(matching: Query(recordType: "Items")) } }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(await task.value?.code == .operationCancelled)
    }
}

@Suite("A value of iCloud")
struct HostileValueTests {
    private let reader = RecordReader(
        scope: .private, user: "_anna", assets: ICloudAssets(), systemFields: SystemFieldsCache())
    private let id = RecordID(recordName: "a")

    @Test("that no field can hold names the record and the field")
    func unknownValues() {
        let values: [Any] = [
            NSURL(string: "https://example.com") as Any, NSNumber(value: UInt64.max),
            ["text", NSNumber(value: 1)] as [Any],
            [NSURL(string: "https://example.com") as Any], NSNull(), [["nested"]],
        ]
        for value in values {
            do throws(CabinetError) {
                let read = try reader.fieldValue(of: value, "field", in: id)
                Issue.record("\(value) was read as \(String(describing: read)).")
            } catch {
                #expect(error.code == .incompatibleVersion)
                #expect(error.recordID == id)
                #expect(error.fieldKey == "field")
            }
        }
    }

    @Test("is read with the type that it has")
    func knownValues() throws {
        let values: [(Any, FieldValue)] = [
            ("text", .string("text")), (NSNumber(value: true), .int64(1)), (NSNumber(value: 2.5), .double(2.5)),
            ([NSNumber(value: 1), NSNumber(value: 2.5)], .list(.double([1, 2.5]))),
            ([NSNumber(value: 1), NSNumber(value: 2)], .list(.int64([1, 2]))), ([Any](), .list(.string([]))),
            ([Date](), .list(.timestamp([]))),
        ]
        for (value, expected) in values {
            #expect(try reader.fieldValue(of: value, "field", in: id) == expected)
        }
    }

    @Test("without a downloaded file is unknown, and stays when the record is saved")
    func missingFile() async throws {
        #expect(
            try reader.fieldValue(of: CKAsset(Asset(StoredAsset(checksum: .init(of: Data()), size: 0))), "f", in: id)
                == nil)
        let object = CKRecord(recordType: "Items")
        object["file"] = CKAsset(Asset(StoredAsset(checksum: .init(of: Data()), size: 0)))
        object["name"] = "Milk"
        let record = try reader.record(object)
        #expect(record.allKeys() == ["name"])
        #expect(record.changedKeys().isEmpty)
        #expect(!record.fields.isComplete)
    }
}
