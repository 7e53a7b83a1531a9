import CloudKit

let RecordTypeLists = "Lists"

/// The screen with all lists, with completion handlers as in the tutorials of CloudKit's first years.
class ListsController {
    var lists: [CKRecord] = []
    var onUpdate: (() -> Void)?

    func viewDidLoad() {
        fetchUserRecordID()
        fetchLists()
    }

    private func fetchUserRecordID() {
        let defaultContainer = CKContainer.default()
        defaultContainer.fetchUserRecordID { recordID, error in
            if let error = error {
                print(error.localizedDescription)
            } else if let userRecordID = recordID {
                self.fetchUserRecord(recordID: userRecordID)
            }
        }
    }

    private func fetchUserRecord(recordID: CKRecord.ID) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        privateDatabase.fetch(withRecordID: recordID) { record, error in
            if let error = error {
                print(error.localizedDescription)
            } else if record == nil {
                print("Unable to Fetch User Record")
            }
        }
    }

    func fetchLists() {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        let query = CKQuery(recordType: RecordTypeLists, predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]

        privateDatabase.perform(query, inZoneWith: nil) { records, error in
            DispatchQueue.main.async {
                self.processResponseForQuery(records, error: error)
            }
        }
    }

    private func processResponseForQuery(_ records: [CKRecord]?, error: Error?) {
        var message = ""
        if let error = error as? CKError, error.code == .unknownItem {
            // The record type is created by the first save.
            message = "No Records Found"
        } else if error != nil {
            message = "Error Fetching Records"
        } else if let records = records {
            lists = records
            if lists.isEmpty { message = "No Records Found" }
        } else {
            message = "No Records Found"
        }
        if message.isEmpty {
            for list in lists { print(list.object(forKey: "name") as? String ?? "-") }
        } else {
            print(message)
        }
        onUpdate?()
    }

    func save(name: String) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        let list = CKRecord(recordType: RecordTypeLists)
        list.setObject(name as CKRecordValue, forKey: "name")
        privateDatabase.save(list) { record, error in
            DispatchQueue.main.async {
                if let record = record, error == nil {
                    self.lists.append(record)
                    self.sortLists()
                } else {
                    print("We were not able to save your list.")
                }
                self.onUpdate?()
            }
        }
    }

    func rename(_ list: CKRecord, to name: String) {
        list.setObject(name as CKRecordValue, forKey: "name")
        CKContainer.default().privateCloudDatabase.save(list) { _, error in
            DispatchQueue.main.async {
                if error != nil { print("We were not able to save your list.") }
                self.sortLists()
                self.onUpdate?()
            }
        }
    }

    func delete(_ list: CKRecord) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        privateDatabase.delete(withRecordID: list.recordID) { _, error in
            DispatchQueue.main.async {
                if error == nil, let index = self.lists.firstIndex(of: list) {
                    self.lists.remove(at: index)
                } else {
                    print("We are unable to delete the list.")
                }
                self.onUpdate?()
            }
        }
    }

    private func sortLists() {
        lists.sort {
            let first = $0.object(forKey: "name") as? String ?? ""
            let second = $1.object(forKey: "name") as? String ?? ""
            return first.localizedCaseInsensitiveCompare(second) == .orderedAscending
        }
    }
}
