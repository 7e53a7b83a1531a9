import CloudKit

let RecordTypeItems = "Items"

/// The screen with the items of one list.
class ItemsController: AddItemControllerDelegate {
    var list: CKRecord
    var items: [CKRecord] = []
    var message = ""
    var onUpdate: (() -> Void)?

    init(list: CKRecord) {
        self.list = list
    }

    func fetchItems() {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        let reference = CKRecord.Reference(recordID: list.recordID, action: .deleteSelf)
        let query = CKQuery(recordType: RecordTypeItems, predicate: NSPredicate(format: "list == %@", reference))
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
            message = "No Items Found"
        } else if error != nil {
            message = "Error Fetching Items for List"
        } else if let records = records {
            items = records
            if items.count == 0 { message = "No Items Found" }
        } else {
            message = "No Items Found"
        }
        updateView()
    }

    func deleteRecord(_ item: CKRecord) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        privateDatabase.delete(withRecordID: item.recordID) { recordID, error in
            DispatchQueue.main.async {
                self.processResponseForDeleteRequest(item, recordID: recordID, error: error)
            }
        }
    }

    private func processResponseForDeleteRequest(_ record: CKRecord, recordID: CKRecord.ID?, error: Error?) {
        if error != nil || recordID == nil {
            message = "We are unable to delete the item."
        } else if let index = items.firstIndex(of: record) {
            items.remove(at: index)
            message = items.count == 0 ? "No Items Found" : ""
        }
        updateView()
    }

    func controller(_ controller: AddItemController, didAddItem item: CKRecord) {
        items.append(item)
        sortItems()
        updateView()
    }

    func controller(_ controller: AddItemController, didUpdateItem item: CKRecord) {
        sortItems()
        updateView()
    }

    func controller(_ controller: AddItemController, didFailWith text: String) {
        message = text
        updateView()
    }

    private func sortItems() {
        items.sort {
            let first = $0.object(forKey: "name") as? String ?? ""
            let second = $1.object(forKey: "name") as? String ?? ""
            return first.localizedCaseInsensitiveCompare(second) == .orderedAscending
        }
        message = ""
    }

    private func updateView() {
        if message.isEmpty {
            print(list.object(forKey: "name") as? String ?? "-")
            for item in items {
                let number = item.object(forKey: "number") as? Int ?? 1
                print(" ", item.object(forKey: "name") as? String ?? "-", number)
            }
        } else {
            print(message)
        }
        onUpdate?()
    }
}
