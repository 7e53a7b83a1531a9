import Cabinet
import CabinetServer
import CabinetTools

/// The form of a new record.
enum NewRecordPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        guard let type = visit["type"] else { throw HTTPError(.badRequest, "The address names no record type.") }
        guard type != Share.recordType else { throw RecordPage.shareRefusal }
        let schema = try await visit.database.schema()
        let name = visit.form.map { $0["name"].isEmpty ? $0[newNameField] : $0["name"] } ?? ""
        let id = name.isEmpty ? RecordID(zoneID: visit.zoneID) : RecordID(recordName: name, zoneID: visit.zoneID)
        let record = Record(recordType: type, recordID: id)
        guard let sent = visit.form else {
            var form = RecordForm(record, schema[type])
            form.lines = 2
            return .page(page(visit, type, form))
        }
        var form = RecordForm(record, schema[type], sent, visit)
        form.lines = 2
        return try await form.save(record, sent, visit) { page(visit, type, $0) }
    }

    /// The name of the hidden field with the name of a record that the person does not name.
    ///
    /// A form that is sent twice names one record.
    private static let newNameField = "newName"

    /// The form of a new record, empty or as it was sent.
    static func page(_ visit: Visit, _ type: String, _ form: RecordForm) -> Page {
        let sentName = visit.form?[newNameField] ?? ""
        let isTaken = form.failure?.code == .serverRecordChanged
        let newName = sentName.isEmpty || isTaken ? RecordID().recordName : sentName
        let items: KeyValuePairs<String, String?> = [
            "type": type, "zone": Place.zoneName(visit.zoneID), "owner": Place.owner(visit.zoneID),
        ]
        let nameField: HTML = """
            <div class="field"><label for="name">Record name<small>empty for a new one</small></label>
            <input id="name" name="name" value="\(visit.form?["name"] ?? "")" spellcheck="false">\
            <input type="hidden" name="\(newNameField)" value="\(newName)"></div>
            """
        return Page(
            title: "New record",
            main: """
                <h1>New record of \(type.shown(80))</h1>
                \(form.html(visit, address: visit.place.link("new", items), button: "Save", before: nameField))
                """,
            trail: [visit.typesTrail, (type, visit.place.link("records", items))])
    }
}
