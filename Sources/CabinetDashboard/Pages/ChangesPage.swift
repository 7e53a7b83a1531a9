import Cabinet
import CabinetServer
import CabinetTools

/// The last changes of a zone, or those since a token.
enum ChangesPage {
    /// The number of changes that are shown.
    private static let limit = 100

    static func answer(_ visit: Visit) async throws -> Answer {
        if visit.place.scope == .shared, visit["zone"] == nil {
            return .page(TypesPage.choiceOfZone(visit, "Changes", "changes of zones"))
        }
        let zoneID = visit.zoneID
        let page: OrderedChanges
        if let text = visit["since"] {
            guard let token = ServerChangeToken(typed: text) else {
                throw HTTPError(.badRequest, "The address names no change.")
            }
            page = try await OrderedChanges(visit.database, inZoneWith: zoneID, since: token, limit: limit)
        } else {
            page = try await OrderedChanges(visit.database, inZoneWith: zoneID, last: limit)
        }
        let rows = page.changes.reversed().map { change -> HTML in
            switch change {
            case .saved(let record):
                return """
                    <tr><td>saved</td><th scope="row"><a href="\(visit.place.link(to: record.recordID))">\(record.recordID.recordName.shown(60))</a></th>\
                    <td>\(record.recordType.shown(60))</td><td>\(record.modificationDate?.html)</td>\
                    <td>\((record.lastModifiedUserRecordID?.recordName ?? "").shown(40))</td></tr>
                    """
            case .deleted(let deletion):
                return """
                    <tr class="gone"><td>deleted</td><th scope="row">\(deletion.recordID.recordName.shown(60))</th>\
                    <td>\(deletion.recordType.shown(60))</td><td></td><td></td></tr>
                    """
            }
        }
        let time: HTML = visit["since"] == nil ? .empty : " since then"
        let table: HTML =
            rows.isEmpty
            ? "<div class=\"empty\"><p>Nothing has changed\(time). This page shows changes as they happen.</p></div>"
            : """
            <div class="scroll"><table class="rows"><caption class="hidden">Changes</caption><thead><tr><th scope="col">What</th><th scope="col">Record</th>\
            <th scope="col">Type</th><th scope="col">When\(HTML.utc)</th><th scope="col">By</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
        let next = page.token?.typed.map { text -> HTML in
            let address = visit.place.link(
                "changes", ["zone": visit["zone"], "owner": visit["owner"], "since": text])
            return
                "<a class=\"button\" href=\"\(address)\">\(page.moreComing ? "Next changes" : "Changes from now on")</a>"
        }
        let main: HTML = """
            <h1>Changes in \(zoneID == .default ? "the default zone" : zoneID.zoneName.shown(80))</h1>
            \(table)
            <p class="pager">\(next)</p>
            """
        return .page(
            Page(
                title: "Changes", main: main,
                trail: visit["zone"] == nil ? [] : [("Zones", visit.place.link("zones"))], events: visit.events))
    }
}
