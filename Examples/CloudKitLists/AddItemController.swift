import CloudKit

protocol AddItemControllerDelegate: AnyObject {
    func controller(_ controller: AddItemController, didAddItem item: CKRecord)
    func controller(_ controller: AddItemController, didUpdateItem item: CKRecord)
    func controller(_ controller: AddItemController, didFailWith text: String)
}

/// The screen that adds an item to a list, or edits the one that it is given.
class AddItemController {
    weak var delegate: AddItemControllerDelegate?
    var newItem: Bool = true
    var item: CKRecord?
    let list: CKRecord

    /// The value of the stepper, which older items do not have.
    var stepper: Double { item?.object(forKey: "number") as? Double ?? 1.0 }

    init(list: CKRecord, item: CKRecord? = nil) {
        self.list = list
        self.item = item
        newItem = item == nil
    }

    func save(name: String, number: Double) {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        if item == nil {
            item = CKRecord(recordType: RecordTypeItems)
            // The reference to the list is set once.
            let reference = CKRecord.Reference(record: list, action: .deleteSelf)
            item?.setObject(reference, forKey: "list")
        }
        item?.setObject(name as CKRecordValue, forKey: "name")
        item?.setObject(Int(number) as CKRecordValue, forKey: "number")

        guard let item = item else { return }
        privateDatabase.save(item) { record, error in
            DispatchQueue.main.async {
                self.processResponse(record: record, error: error)
            }
        }
    }

    private func processResponse(record: CKRecord?, error: Error?) {
        if error != nil || record == nil {
            delegate?.controller(self, didFailWith: "We were not able to save your item.")
        } else if let item = item {
            if newItem {
                delegate?.controller(self, didAddItem: item)
            } else {
                delegate?.controller(self, didUpdateItem: item)
            }
        }
    }
}
