import Cabinet
import CloudKit
import Testing

// More habits of programs that rely on records as objects, each of which a record as a value would break without a message.

/// A cell that keeps the record that it shows.
struct Cell {
    let record: CKRecord
    var title: String { record["name"] as? String ?? "-" }
}

/// A table whose sections and search results share their records.
class TableController {
    var records = [CKRecord]()
    var found = [CKRecord]()
    var selected: CKRecord?

    func search(_ text: String) {
        found = records.filter { ($0["name"] as? String ?? "").hasPrefix(text) }
    }

    func toggle(_ record: CKRecord) {
        let isDone = record["done"] as? Bool ?? false
        record["done"] = !isDone as CKRecordValue
    }
}

/// An operation that stamps its records before they are sent.
final class StampingOperation: CKModifyRecordsOperation, @unchecked Sendable {
    override func main() {
        for record in recordsToSave ?? [] { record["stamp"] = 7 as CKRecordValue }
        super.main()
    }
}

@Suite("Programs of Swift 5 that rely on objects")
struct ObjectTests {
    private let database = CKContainer(identifier: "iCloud.objects", backend: MemoryBackend()).privateCloudDatabase

    private func records(_ names: [String]) -> [CKRecord] {
        names.map { name in
            let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: name))
            record["name"] = name as CKRecordValue
            return record
        }
    }

    private func save(_ record: CKRecord) async -> (CKRecord?, Error?) {
        await withCheckedContinuation { continuation in
            database.save(record) { continuation.resume(returning: ($0, $1)) }
        }
    }

    @Test("a record in two arrays, in a cell and selected is one record")
    func aliases() {
        let table = TableController()
        table.records = records(["Milk", "Mint", "Bread"])
        table.search("Mi")
        table.selected = table.found.last
        let cell = Cell(record: table.records[1])
        table.toggle(table.found[1])
        table.selected?["name"] = "Mango" as CKRecordValue
        #expect(table.records[1]["done"] as? Bool == true && table.records[0]["done"] == nil)
        #expect(cell.title == "Mango" && table.records[1] === table.selected)
        table.toggle(table.records[1])
        #expect(table.selected?["done"] as? Bool == false && table.selected?["done"] as? Int == 0)
    }

    @Test("arrays of records are sorted in place, and by sort descriptors, and keep their objects")
    func sorting() {
        var list = records(["b", "c", "a"])
        let first = list[2]
        list.sort { ($0["name"] as? String ?? "") < ($1["name"] as? String ?? "") }
        #expect(list[0] === first && list.map(\.recordID.recordName) == ["a", "b", "c"])
        list[0]["name"] = "z" as CKRecordValue
        let sorted = (list as NSArray).sortedArray(using: [NSSortDescriptor(key: "name", ascending: true)])
        #expect(sorted.compactMap { ($0 as? CKRecord)?.recordID.recordName } == ["b", "c", "a"])
        #expect(sorted.last as? CKRecord === first)
        let matching = list.filter { NSPredicate(format: "name > %@", "b").evaluate(with: $0) }
        #expect(matching.map(\.recordID.recordName) == ["a", "c"])
    }

    @Test("sort descriptors compare dates, and records without a value come first")
    func sortingByDate() {
        let list = records(["late", "early", "none"])
        list[0]["due"] = Date(timeIntervalSince1970: 20) as CKRecordValue
        list[1]["due"] = Date(timeIntervalSince1970: 10) as CKRecordValue
        for isAscending in [true, false] {
            let sorted = (list as NSArray).sortedArray(using: [NSSortDescriptor(key: "due", ascending: isAscending)])
            let names = sorted.compactMap { ($0 as? CKRecord)?.recordID.recordName }
            #expect(names == (isAscending ? ["none", "early", "late"] : ["late", "early", "none"]))
        }
        let order = NSSortDescriptor(key: "due", ascending: true)
        #expect(order.compare(list[2], to: list[0]) == .orderedAscending)
        #expect(order.compare(list[0], to: list[2]) == .orderedDescending)
    }

    @Test("a record is a key of a dictionary and an element of a set, also after its changes")
    func keys() async {
        let list = records(["a", "b"])
        var states = [CKRecord: String]()
        var pending = Set(list)
        for record in list { states[record] = "new" }
        list[0]["name"] = "changed" as CKRecordValue
        _ = await save(list[0])
        states[list[0]] = "saved"
        pending.remove(list[0])
        #expect(states[list[0]] == "saved" && states[list[1]] == "new" && states.count == 2)
        #expect(pending == [list[1]] && list.firstIndex(of: list[1]) == 1 && list.contains(list[0]))
    }

    @Test("the record that a save returns is the one that was passed, and can be changed and saved again")
    func identity() async {
        let record = records(["a"])[0]
        let (saved, error) = await save(record)
        #expect(error == nil && saved === record)
        let tag = record.recordChangeTag
        saved?["name"] = "second" as CKRecordValue
        #expect(record.changedKeys() == ["name"])
        let (again, secondError) = await save(record)
        #expect(secondError == nil && again === record && record.recordChangeTag != tag)
        #expect(record.changedKeys().isEmpty)
    }

    @Test("a completion block changes the record that it captured, and the caller sees it")
    func captured() async {
        let record = records(["a"])[0]
        let tries: Int = await withCheckedContinuation { continuation in
            database.save(record) { _, error in
                record["tries"] = (record["tries"] as? Int ?? 0) + 1 as CKRecordValue
                self.database.save(record) { saved, _ in
                    continuation.resume(returning: saved?["tries"] as? Int ?? 0)
                }
            }
        }
        #expect(tries == 1 && record["tries"] as? Int == 1 && record.changedKeys().isEmpty)
    }

    @Test("a subclass of an operation changes the records that it was given, before they are sent")
    func stamping() async {
        let record = records(["a"])[0]
        let operation = StampingOperation(recordsToSave: [record], recordIDsToDelete: nil)
        let isSaved: Bool = await withCheckedContinuation { continuation in
            operation.modifyRecordsCompletionBlock = { saved, _, error in
                continuation.resume(returning: error == nil && saved?.first === record)
            }
            database.add(operation)
        }
        #expect(isSaved && record["stamp"] as? Int == 7 && operation.recordsToSave?.first === record)
        let stored: CKRecord? = await withCheckedContinuation { continuation in
            database.fetch(withRecordID: record.recordID) { record, _ in continuation.resume(returning: record) }
        }
        #expect(stored?["stamp"] as? Int == 7 && stored !== record && stored == record)
    }

    @Test("a form edits a copy, and sets its values in the record")
    func copies() throws {
        let record = records(["a"])[0]
        record.setValuesForKeys(["name": "Milk", "count": 2, "done": true])
        let draft = try #require(record.copy() as? CKRecord)
        draft.setValue("Bread", forKey: "name")
        draft.setValue(nil, forKey: "count")
        #expect(record.value(forKey: "name") as? String == "Milk" && record["count"] as? Int64 == 2)
        record.setValuesForKeys(draft.dictionaryWithValues(forKeys: ["name", "count", "done"]))
        #expect(record["name"] as? String == "Bread" && record["count"] == nil && record["done"] as? Bool == true)
        #expect(record == draft && record.recordID.isEqual(draft.recordID))
    }
}
