import CloudKit

let RecordTypeLists = "Lists"

/// The screen with all lists, with completion handlers as in the tutorials of CloudKit's first years.
class ListsController: AddListControllerDelegate {
    var lists: [CKRecord] = []
    var message = ""
    var onUpdate: (() -> Void)?

    func viewDidLoad() {
        fetchUserRecordID()
        fetchLists()
    }

    private func fetchUserRecordID() {
        let defaultContainer = CKContainer.default()
        defaultContainer.fetchUserRecordID { recordID, error in
            if let responseError = error {
                print(responseError.localizedDescription)
            } else if let userRecordID = recordID {
                self.fetchUserRecord(recordID: userRecordID)
            }
        }
    }

    private func fetchUserRecord(recordID: CKRecord.ID) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        privateDatabase.fetch(withRecordID: recordID) { record, error in
            if let responseError = error {
                print(responseError.localizedDescription)
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
        message = ""
        if let error = error as? CKError, error.code == .unknownItem {
            // The record type is created by the first save.
            message = "No Records Found"
        } else if error != nil {
            message = "Error Fetching Records"
        } else if let records = records {
            lists = records
            if lists.count == 0 { message = "No Records Found" }
        } else {
            message = "No Records Found"
        }
        updateView()
    }

    func deleteRecord(_ list: CKRecord) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        privateDatabase.delete(withRecordID: list.recordID) { recordID, error in
            DispatchQueue.main.async {
                self.processResponseForDeleteRequest(list, recordID: recordID, error: error)
            }
        }
    }

    private func processResponseForDeleteRequest(_ record: CKRecord, recordID: CKRecord.ID?, error: Error?) {
        if error != nil || recordID == nil {
            message = "We are unable to delete the list."
        } else if let index = lists.firstIndex(of: record) {
            lists.remove(at: index)
            message = lists.count == 0 ? "No Records Found" : ""
        }
        updateView()
    }

    func controller(_ controller: AddListController, didAddList list: CKRecord) {
        lists.append(list)
        sortLists()
        updateView()
    }

    func controller(_ controller: AddListController, didUpdateList list: CKRecord) {
        sortLists()
        updateView()
    }

    func controller(_ controller: AddListController, didFailWith text: String) {
        message = text
        updateView()
    }

    private func sortLists() {
        lists.sort {
            let first = $0.object(forKey: "name") as? String ?? ""
            let second = $1.object(forKey: "name") as? String ?? ""
            return first.localizedCaseInsensitiveCompare(second) == .orderedAscending
        }
        message = ""
    }

    private func updateView() {
        if message.isEmpty {
            for list in lists { print(list.object(forKey: "name") as? String ?? "-") }
        } else {
            print(message)
        }
        onUpdate?()
    }
}
