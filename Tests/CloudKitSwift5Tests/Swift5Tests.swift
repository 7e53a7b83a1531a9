import Cabinet
import CloudKit
import Testing

// Code in the style of programs that are older than Swift 6. The module is compiled in the language mode of Swift 5: classes are
// not sendable, blocks change variables, and errors are read as `NSError`.

class Item {
    let record: CKRecord
    var isSaved = false

    init(record: CKRecord) { self.record = record }

    convenience init(name: String) {
        let record = CKRecord(recordType: "Items")
        record["name"] = name as CKRecordValue
        self.init(record: record)
    }

    var name: String {
        get { record.object(forKey: "name") as? String ?? "" }
        set { record.setObject(newValue as CKRecordValue, forKey: "name") }
    }
}

class ItemStore {
    static let shared = ItemStore()
    var items = [Item]()
    var lastError: Error?
    var database: CKDatabase = CKContainer(identifier: "iCloud.swift5", backend: MemoryBackend()).privateCloudDatabase

    func save(_ item: Item, completion: @escaping (Error?) -> Void) {
        database.save(item.record) { [weak self] record, error in
            guard let self = self else { return }
            if let error = error {
                self.lastError = error
            } else if record != nil {
                item.isSaved = true
                self.items.append(item)
            }
            completion(error)
        }
    }

    func fetchAll(completion: @escaping ([CKRecord], CKQueryOperation.Cursor?) -> Void) {
        var found = [CKRecord]()
        let query = CKQuery(recordType: "Items", predicate: NSPredicate(format: "name BEGINSWITH %@", "M"))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let operation = CKQueryOperation(query: query)
        operation.desiredKeys = ["name"]
        operation.qualityOfService = .userInitiated
        operation.recordFetchedBlock = { record in found.append(record) }
        operation.queryCompletionBlock = { cursor, error in
            self.lastError = error
            completion(found, cursor)
        }
        database.add(operation)
    }
}

/// The text that a program shows for an error.
func text(for error: Error) -> String {
    if let error = error as? CKError {
        switch error.code {
        case .networkFailure, .networkUnavailable: return "offline"
        case .unknownItem: return "missing"
        case .requestRateLimited, .zoneBusy: return "wait \(error.retryAfterSeconds ?? 0)"
        case .partialFailure: return "\(error.partialErrorsByItemID?.count ?? 0) failed"
        default: break
        }
    }
    return (error as NSError).localizedDescription
}

final class CountingOperation: CKModifyRecordsOperation, @unchecked Sendable {
    var starts = 0

    override func start() {
        starts += 1
        super.start()
    }
}

@Suite("Programs in the style of Swift 5", .timeLimit(.minutes(15)))
struct Swift5Tests {
    @Test("completion handlers change the caller's objects")
    func completion() async {
        let store = ItemStore()
        let item = Item(name: "Milk")
        await withCheckedContinuation { continuation in
            store.save(item) { _ in continuation.resume() }
        }
        #expect(item.isSaved && item.record.recordChangeTag != nil && store.items.count == 1)
        let names: [String] = await withCheckedContinuation { continuation in
            store.fetchAll { records, _ in continuation.resume(returning: records.map { Item(record: $0).name }) }
        }
        #expect(names == ["Milk"] && store.lastError == nil)
    }

    @Test("errors are read as CKError and as NSError")
    func errors() async {
        let store = ItemStore()
        let error: Error? = await withCheckedContinuation { continuation in
            store.database.fetch(withRecordID: CKRecord.ID(recordName: "none")) { _, error in
                continuation.resume(returning: error)
            }
        }
        guard let error = error else {
            Issue.record("There was no error.")
            return
        }
        #expect(text(for: error) == "missing")
        let nsError = error as NSError
        #expect(nsError.domain == CKErrorDomain && nsError.code == CKError.Code.unknownItem.rawValue)
        #expect(nsError.code == CKError.unknownItem.rawValue && CKError(_nsError: nsError).code == .unknownItem)
        if case CKError.unknownItem = error {} else { Issue.record("The pattern does not match.") }
        let limited = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 3.0])
        #expect(text(for: limited) == "wait 3.0")
        #expect((limited as NSError).userInfo[CKErrorRetryAfterKey] as? Double == 3)
    }

    @Test("operations are subclassed, depend on each other, and run on a queue of the program")
    func operations() async {
        let store = ItemStore()
        let item = Item(name: "Bread")
        let save = CountingOperation(recordsToSave: [item.record], recordIDsToDelete: nil)
        save.savePolicy = .changedKeys
        save.database = store.database
        save.modifyRecordsCompletionBlock = { saved, _, error in
            store.lastError = error
            item.isSaved = saved?.first === item.record
        }
        let fetch = CKFetchRecordsOperation(recordIDs: [item.record.recordID])
        fetch.database = store.database
        fetch.addDependency(save)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let found: [CKRecord.ID: CKRecord]? = await withCheckedContinuation { continuation in
            fetch.fetchRecordsCompletionBlock = { records, _ in continuation.resume(returning: records) }
            queue.addOperations([fetch, save], waitUntilFinished: false)
        }
        #expect(save.starts == 1 && item.isSaved && store.lastError == nil)
        #expect(found?[item.record.recordID]?["name"] as? String == "Bread")
    }

    @Test("a delegate reads a push as the class of its kind")
    func pushes() async throws {
        let store = ItemStore()
        let backend = MemoryBackend()
        let devices = (0..<2).map { _ in CKContainer(identifier: "iCloud.pushes", backend: backend) }
        try await devices[0].privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
        let item = Item(name: "Milk")
        store.database = devices[1].privateCloudDatabase
        await withCheckedContinuation { continuation in
            store.save(item) { _ in continuation.resume() }
        }
        for try await push in CabinetCloudKit.notifications(of: devices[0]) {
            let notification = CKNotification(fromRemoteNotificationDictionary: push.remoteNotificationDictionary)
            #expect((notification as? CKDatabaseNotification)?.databaseScope == .private)
            #expect(!(notification is CKQueryNotification))
            let token: CabinetCloudKit.NotificationToken = push.token
            let stored = try JSONEncoder().encode(token)
            #expect(try JSONDecoder().decode(CabinetCloudKit.NotificationToken.self, from: stored) == token)
            break
        }
    }

    @Test("completion handlers wait for other requests, more of them than there are processors")
    func waiting() async {
        let database = ItemStore().database
        let count = ProcessInfo.processInfo.activeProcessorCount + 1
        let lock = NSLock()
        var answers = [Bool]()
        await withCheckedContinuation { continuation in
            for _ in 0..<count {
                database.fetchAllRecordZones { _, _ in
                    let semaphore = DispatchSemaphore(value: 0)
                    database.fetchAllRecordZones { _, _ in semaphore.signal() }
                    let isAnswered = semaphore.wait(timeout: .now() + 60) == .success
                    lock.lock()
                    answers.append(isAnswered)
                    let isLast = answers.count == count
                    lock.unlock()
                    if isLast { continuation.resume() }
                }
            }
        }
        #expect(answers == Array(repeating: true, count: count))
    }

    @Test("archives of system fields, tokens in user defaults and key-value coding")
    func archives() throws {
        let item = Item(name: "Eggs")
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        item.record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        #expect(CKRecord(coder: unarchiver)?.recordID == item.record.recordID)
        let defaults = UserDefaults(suiteName: "swift5-\(UUID().uuidString)")
        defaults?.setValue(archiver.encodedData, forKey: "fields")
        #expect(defaults?.data(forKey: "fields") == archiver.encodedData)
        item.record.setValuesForKeys(["name": "Ham", "count": 2])
        #expect(item.record.value(forKey: "name") as? String == "Ham" && item.record["count"] as? Int == 2)
    }
}
