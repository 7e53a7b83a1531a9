import Cabinet
import CabinetServer
import CabinetTools

/// The question before a record is deleted: with its name, and with what its deletion includes.
enum DeletionPage {
    /// The number of records of the cascade that are listed.
    private static let listed = 50

    static func answer(_ visit: Visit) async throws -> Answer {
        let id = try visit.recordID
        var record = try await visit.database.record(for: id)
        // Another client may have changed the record since the person was asked.
        var isOutdated = visit.form.map { $0["tag"] != record.recordChangeTag ?? "" } ?? false
        if visit.form != nil, !isOutdated {
            do {
                try await delete(record, visit)
                return .redirect(visit.place.link(toRecordsOf: record.recordType, in: id.zoneID))
            } catch CabinetError.Code.serverRecordChanged {
                (record, isOutdated) = (try await visit.database.record(for: id), true)
            }
        }
        let tag = record.recordChangeTag ?? ""
        let (records, isComplete) = try await visit.database.cascade(of: [id])
        let cascade = records.sorted {
            ($0.value, $0.key.recordName) < ($1.value, $1.key.recordName)
        }
        let items = cascade.prefix(listed).map { id, type -> HTML in
            "<li>\(type.shown(40)) <a href=\"\(visit.place.link(to: id))\">\(id.recordName.shown(60))</a></li>"
        }
        let rest: HTML = cascade.count > listed ? "<li>… (\((cascade.count - listed).grouped) more)</li>" : .empty
        let more: HTML =
            cascade.isEmpty
            ? "<p>No other record\(isComplete ? "" : " that the user may read") goes with it.</p>"
            : "<p>\(cascade.count.counted("record")) \(cascade.count == 1 ? "refers" : "refer") to it and \(cascade.count == 1 ? "goes" : "go") with it:</p><ul>\(items)\(rest)</ul>"
        let hidden: HTML =
            isComplete ? .empty : "<p>Records that the user may not read may go with it, too.</p>"
        let address = visit.place.link("delete", Place.items(id))
        let change: HTML =
            isOutdated
            ? "<pre class=\"message\" role=\"alert\">Another client has changed the record. Nothing is deleted yet.</pre>"
            : .empty
        return .page(
            Page(
                title: "Delete \(id.recordName)",
                main: """
                    <h1>Delete \(id.recordName.shown(120))?</h1>\(change)\(more)\(hidden)
                    <form method="post" action="\(address)">\(visit.proof)<input type="hidden" name="tag" value="\(tag)">
                    <p><button class="danger">Delete \(id.recordName.shown(60))</button> <a class="button" href="\(visit.place.link(to: id))">Keep it</a></p></form>
                    """,
                trail: [visit.typesTrail, (id.recordName, visit.place.link(to: id))]), isOutdated ? .conflict : .ok)
    }

    /// Deletes a record, if no other client has changed it in between.
    private static func delete(_ record: Record, _ visit: Visit) async throws {
        let (id, database) = (record.recordID, visit.database)
        // A person ends or leaves each version of a share.
        if let tag = record.recordChangeTag, record.recordType != Share.recordType {
            do {
                return try await database.deleteRecord(withID: id, ifChangeTagIs: tag)
            } catch CabinetError.Code.serverRejectedRequest {
                // CloudKit's services compare no tags of deletions.
            }
        }
        try await database.deleteRecord(withID: id)
    }
}
