import CloudKit

let RecordTypeItems = "Items"

/// The screen with the items of one list.
class ItemsController {
    let list: CKRecord
    var items: [CKRecord] = []
    var onUpdate: (() -> Void)?

    init(list: CKRecord) {
        self.list = list
    }

    func fetchItems() {
        let privateDatabase = CKContainer.default().privateCloudDatabase
        let reference = CKRecord.Reference(recordID: list.recordID, action: .deleteSelf)
        let query = CKQuery(
            recordType: RecordTypeItems, predicate: NSPredicate(format: "list == %@", argumentArray: [reference]))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]

        privateDatabase.perform(query, inZoneWith: nil) { records, error in
            DispatchQueue.main.async {
                if let records = records, !records.isEmpty {
                    self.items = records
                    for item in records {
                        print(" ", item["name"] as? String ?? "-", item["number"] as? Int ?? 1)
                    }
                } else {
                    print(error == nil ? "No Items Found" : "Error Fetching Items for List")
                }
                self.onUpdate?()
            }
        }
    }

    func save(name: String, number: Double) {
        let item = CKRecord(recordType: RecordTypeItems)
        item["name"] = name
        item["number"] = Int(number)
        item["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
        CKContainer.default().privateCloudDatabase.save(item) { record, error in
            DispatchQueue.main.async {
                if record == nil || error != nil { print("We were not able to save your item.") }
                self.onUpdate?()
            }
        }
    }
}
