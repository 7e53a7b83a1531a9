import Cabinet
import CabinetServer

/// A record that could not be saved for a reason outside of its form: the reason, and the form with what was typed.
enum UnsavedRecordPage {
    /// Answers the form of a record after an error; `nil` for another form.
    ///
    /// Nothing is read, since the store may be out of reach.
    static func answer(_ visit: Visit, _ error: CabinetError) -> Answer? {
        guard let form = visit.form, ["record", "new"].contains(visit.page) else { return nil }
        let type = visit["type"] ?? form[RecordForm.typeField]
        guard !type.isEmpty, type != Share.recordType else { return nil }
        let texts = form.fields(after: "now.")
        // The form of an asset has a file instead of a text.
        let assets = form.fields(after: "was.").filter { texts[$0.key] == nil }.mapValues { _ in Schema.Field(.asset) }
        let record = Record(recordType: type, recordID: (try? visit.recordID) ?? RecordID())
        var edited = RecordForm(record, Schema.RecordType(fields: assets), form, visit)
        (edited.tag, edited.failure) = (form["tag"], error)
        let page = visit.page == "new" ? NewRecordPage.page(visit, type, edited) : page(visit, record.recordID, edited)
        return .page(page, error.code.pageStatus)
    }

    private static func page(_ visit: Visit, _ id: RecordID, _ form: RecordForm) -> Page {
        let address = visit.place.link(to: id)
        return Page(
            title: "Not saved",
            main: """
                <h1>\(id.recordName.shown(120)) is not saved</h1>
                \(form.html(visit, address: address))
                """,
            trail: [visit.typesTrail, (id.recordName, address)])
    }
}
