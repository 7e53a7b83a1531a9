import Cabinet
import CabinetServer

/// A record that another client has deleted while a person edited it: the form with what was typed, which saves it again.
enum DeletedRecordPage {
    /// Answers the form of a record that does not exist.
    ///
    /// - Throws: The error of the missing record if the form does not name a record type.
    static func answer(
        _ form: HTTPForm, _ visit: Visit, _ schema: Schema, _ error: CabinetError
    ) async throws -> Answer {
        let type = form[RecordForm.typeField]
        guard !type.isEmpty, type != Share.recordType else { throw error }
        let record = Record(recordType: type, recordID: try visit.recordID)
        var edited = RecordForm(record, schema[type], form, visit)
        edited.becomeNew()
        // A form with a change tag was opened before the deletion, so the person has not been asked.
        guard form["tag"].isEmpty, edited.failure == nil else { return .page(try page(visit, edited), .conflict) }
        return try await edited.save(record, form, visit) { try page(visit, $0) }
    }

    private static func page(_ visit: Visit, _ form: RecordForm) throws -> Page {
        let id = try visit.recordID
        let hasHidden = form.rows.contains { !$0.isTyped }
        let loss: HTML = hasHidden ? " Its encrypted values, and files that are not chosen here, are lost." : .empty
        return Page(
            title: "Deleted by another",
            main: """
                <h1>Another client has deleted this record</h1>
                <p>Nothing is saved. The form has what you typed, and saving it creates the record again.\(loss)</p>
                \(form.html(visit, address: visit.place.link(to: id), button: "Create again"))
                """,
            trail: [visit.typesTrail, (form.recordType, visit.place.link(toRecordsOf: form.recordType, in: id.zoneID))])
    }
}
