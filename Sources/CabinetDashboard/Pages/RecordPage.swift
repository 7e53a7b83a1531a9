import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// A record: its fields, what it refers to and what refers to it, and a form to change it.
enum RecordPage {
    /// The time that counting the records that refer to this one may take.
    private static let timeToCount = Duration.seconds(1)

    static func answer(_ visit: Visit) async throws -> Answer {
        let id = try visit.recordID
        let schema = try await visit.database.schema()
        guard let form = visit.form else {
            let record = try await visit.database.record(for: id)
            return .page(try await page(visit, record, schema, RecordForm(record, schema[record.recordType])))
        }
        do {
            return try await save(form, visit, schema)
        } catch let error as CabinetError where error.code == .unknownItem {
            return try await DeletedRecordPage.answer(form, visit, schema, error)
        }
    }

    /// Saves what was changed since the page was shown.
    ///
    /// A record that another client has changed since is shown beside it.
    private static func save(_ form: HTTPForm, _ visit: Visit, _ schema: Schema) async throws -> Answer {
        let record = try await visit.database.record(for: try visit.recordID)
        guard record.recordType != Share.recordType else { throw shareRefusal }
        var edited = RecordForm(record, schema[record.recordType], form, visit)
        guard form["tag"] == record.recordChangeTag else {
            return .page(ConflictPage.page(visit, record, edited), .conflict)
        }
        guard edited.isChanged || edited.failure != nil else { return .redirect(visit.place.link(to: record.recordID)) }
        return try await edited.save(record, form, visit) { try await page(visit, record, schema, $0) }
    }

    /// The error of a form for the record of a share, whose fields are internal: an emptied one would remove participants.
    static let shareRefusal = CabinetError(
        .invalidArguments, "The record of a share is not changed by a form. Programs add and remove its participants.")

    private static func page(
        _ visit: Visit, _ record: Record, _ schema: Schema, _ form: RecordForm
    ) async throws -> Page {
        let id = record.recordID
        let place = visit.place
        let values = form.rows.map { row -> HTML in
            "<tr><th scope=\"row\">\(row.key.shown(60))<small>\(row.typeName)</small></th><td>\(record.fields[row.key]?.whole(row.key, of: record, in: place) ?? "<span class=\"none\">–</span>")</td></tr>"
        }
        let edit: HTML =
            record.recordType == Share.recordType
            ? "<p>Programs change a share. <a href=\"\(place.link("shares"))\">Shares and their participants</a></p>"
            : "<details\(form.failure == nil ? HTML.empty : " open")><summary class=\"button\">Edit</summary>\(form.html(visit, address: place.link(to: id)))</details>"
        let main: HTML = """
            <div class="title"><h1>\(id.recordName.shown(120))</h1>
            <a class="button danger" href="\(place.link("delete", Place.items(id)))">Delete…</a></div>
            <div class="columns"><section aria-labelledby="fields"><h2 id="fields">Fields</h2>
            <div class="scroll"><table class="record" aria-label="Fields"><tbody>\(values)</tbody></table></div>
            \(edit)
            </section>
            <aside><section aria-labelledby="about"><h2 id="about">About</h2>\(about(record, place, try await MirrorPart(visit)?.state(of: id)))</section>
            <section aria-labelledby="referring"><h2 id="referring">Referred to by</h2>\(try await referring(visit, record, schema))</section></aside></div>
            """
        return Page(
            title: id.recordName, main: main,
            trail: [visit.typesTrail, (record.recordType, place.link(toRecordsOf: record.recordType, in: id.zoneID))],
            // Another request would not show what was typed, and why it is wrong.
            events: visit.form == nil ? visit.events : nil)
    }

    private static func about(_ record: Record, _ place: Place, _ pending: HTML?) -> HTML {
        var rows: [(String, HTML)] = [
            ("Type", "\(record.recordType.shown(80))"), ("Zone", "\(record.recordID.zoneID.zoneName.shown(80))"),
            ("Change tag", "<code>\((record.recordChangeTag ?? "").shown(80))</code>"),
        ]
        for (title, date, user) in [
            ("Created", record.creationDate, record.creatorUserRecordID),
            ("Modified", record.modificationDate, record.lastModifiedUserRecordID),
        ] {
            let when = date.map { "\($0.html)\(HTML.utc)" as HTML }
            rows.append((title, "\(when) by <span class=\"line\">\((user?.recordName ?? "–").shown(60))</span>"))
        }
        for (title, reference) in [("Parent", record.parent), ("Share", record.share)] {
            guard let id = reference?.recordID else { continue }
            rows.append((title, "<a href=\"\(place.link(to: id))\">\(id.recordName.shown(60))</a>"))
        }
        if let pending { rows.append(("Server", pending)) }
        let lines = rows.map { title, value -> HTML in "<dt>\(title)</dt><dd>\(value)</dd>" }
        return "<dl>\(lines)</dl>"
    }

    /// The numbers of the records that refer to a record, by their fields, with links to them.
    private static func referring(_ visit: Visit, _ record: Record, _ schema: Schema) async throws -> HTML {
        let start = ContinuousClock.now
        let zone = record.recordID.zoneID
        let target = Reference(recordID: record.recordID, action: .none)
        var (lines, isComplete): ([HTML], Bool) = ([], true)
        for field in schema.referringFields {
            guard start.duration(to: .now) < timeToCount else {
                isComplete = false
                break
            }
            let filter = try Filter(field.isList ? "ANY %K == %@" : "%K == %@", field.key, target)
            let query = Query(recordType: field.recordType, filter: filter)
            let isShared = visit.place.scope == .shared
            let count = try await visit.database.permittedCount(
                matching: query, inZoneWith: isShared ? zone : nil)
            guard let count else {
                isComplete = false
                continue
            }
            if count == 0 { continue }
            let address = visit.place.link(
                "records",
                [
                    "type": field.recordType, "zone": isShared ? Place.zoneName(zone) : nil,
                    "owner": isShared ? Place.owner(zone) : nil, "filter": "\(filter)",
                ])
            lines.append(
                "<li><a href=\"\(address)\">\(field.recordType.shown(40)).\(field.key.shown(40))</a> <span class=\"count\">\(count.grouped)</span></li>"
            )
        }
        if !isComplete { lines.append("<li class=\"none\">Not all fields were searched.</li>") }
        return lines.isEmpty
            ? "<p class=\"none\">Nothing refers to this record.</p>" : "<ul class=\"plain\">\(lines)</ul>"
    }
}
