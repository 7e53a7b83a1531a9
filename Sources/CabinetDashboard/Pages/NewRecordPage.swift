import Cabinet
import CabinetServer
import CabinetTools

/// The form of a new record.
enum NewRecordPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        guard let type = visit["type"] else { throw HTTPError(.badRequest, "The address names no record type.") }
        guard type != Share.recordType else { throw RecordPage.shareRefusal }
        let schema = try await visit.database.schema()
        let name = visit.form?["name"] ?? ""
        let id = name.isEmpty ? RecordID(zoneID: visit.zoneID) : RecordID(recordName: name, zoneID: visit.zoneID)
        var record = Record(recordType: type, recordID: id)
        guard let sent = visit.form else {
            var form = RecordForm(record, schema[type])
            form.lines = 2
            return .page(page(visit, type, form, name))
        }
        var form = RecordForm(record, schema[type], sent, visit)
        form.lines = 2
        do {
            if let failure = form.failure { throw failure }
            try form.apply(to: &record)
            record = try await visit.database.save(record)
            _ = visit.uploads.take(sent[KeptFiles.field], at: visit.place)
            return .redirect(visit.place.link(to: record.recordID))
        } catch let error as CabinetError {
            form.failure = error
            return .page(page(visit, type, form, name), .badRequest)
        }
    }

    private static func page(_ visit: Visit, _ type: String, _ form: RecordForm, _ name: String) -> Page {
        let items: KeyValuePairs<String, String?> = [
            "type": type, "zone": Place.zoneName(visit.zoneID), "owner": Place.owner(visit.zoneID),
        ]
        let nameField: HTML = """
            <div class="field"><label for="name">Record name<small>empty for a new one</small></label>
            <input id="name" name="name" value="\(name)" spellcheck="false"></div>
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
