import CloudKit

protocol AddListControllerDelegate: AnyObject {
    func controller(_ controller: AddListController, didAddList list: CKRecord)
    func controller(_ controller: AddListController, didUpdateList list: CKRecord)
    func controller(_ controller: AddListController, didFailWith text: String)
}

/// The screen that adds a list, or renames the one that it is given.
class AddListController {
    weak var delegate: AddListControllerDelegate?
    var newList: Bool = true
    var list: CKRecord?

    func save(name: String) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        newList = list == nil
        if list == nil { list = CKRecord(recordType: RecordTypeLists) }
        list?.setObject(name as CKRecordValue, forKey: "name")

        guard let list = list else { return }
        privateDatabase.save(list) { record, error in
            DispatchQueue.main.async {
                self.processResponse(record: record, error: error)
            }
        }
    }

    private func processResponse(record: CKRecord?, error: Error?) {
        if error != nil || record == nil {
            delegate?.controller(self, didFailWith: "We were not able to save your list.")
        } else if let list = list {
            if newList {
                delegate?.controller(self, didAddList: list)
            } else {
                delegate?.controller(self, didUpdateList: list)
            }
        }
    }
}
