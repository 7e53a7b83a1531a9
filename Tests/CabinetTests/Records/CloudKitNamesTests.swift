import Cabinet
import Testing

@Suite("Names and functions that CloudKit code uses")
struct CloudKitNamesTests {
    @Test("Nested type names are the types themselves")
    func aliases() {
        let id = Record.ID(recordName: "milk")
        let reference: Record.Reference = Reference(recordID: id, action: .none)
        #expect(reference.recordID == RecordID(recordName: "milk"))
        #expect(Record.Asset.self == Asset.self)
    }

    @Test("Every system field has a key")
    func systemFieldKeys() {
        typealias Key = Record.SystemFieldKey
        let keys = [
            Key.recordID, Key.creationDate, Key.modificationDate, Key.creatorUserRecordID, Key.lastModifiedUserRecordID,
            Key.parent,
        ]
        #expect(Set(keys) == Set(SystemField.allCases.map(\.rawValue)))
    }

    @Test("Values are set and read by functions")
    func functions() {
        var record = Record(recordType: "Items")
        record.setValue("Milk", forKey: "name")
        record.setObject(5, forKey: "number")
        #expect(record.value(forKey: "name") as? String == "Milk")
        #expect(record.object(forKey: "number") as? Int == 5)
        record.setValue(nil, forKey: "name")
        #expect(record.allKeys() == ["number"])
    }

    @Test("A record ID is a string literal")
    func recordIDLiteral() {
        let id: RecordID = "milk"
        #expect(id == RecordID(recordName: "milk"))
        #expect(Reference(recordID: "milk", action: .none).recordID == id)
    }

    @Test("A sort key is a string literal, or descending")
    func sortLiteral() {
        let query = Query(
            recordType: "Items", sortedBy: ["name", .descending("date"), .descending("s", options: .numeric)])
        #expect(
            query.sortDescriptors == [
                Sort("name"), Sort("date", ascending: false), Sort("s", ascending: false, options: .numeric),
            ])
    }
}
