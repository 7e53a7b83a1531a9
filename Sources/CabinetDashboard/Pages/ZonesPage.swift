import Cabinet
import CabinetServer
import CabinetTools

/// The zones of a database, and forms that add and delete one.
enum ZonesPage {
    /// The time that counting the records of a zone may take.
    private static let timeToCount = Duration.seconds(1)

    static func answer(_ visit: Visit) async throws -> Answer {
        var failure: CabinetError?
        if let form = visit.form {
            do {
                return try await change(form, visit)
            } catch let error as CabinetError {
                failure = error
            }
        } else if visit["delete"] != nil {
            return .page(try await question(visit))
        }
        let zones = try await visit.database.allRecordZones().map(\.zoneID).sorted {
            ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName)
        }
        let rows = zones.map { row($0, visit) }
        let isOwn = visit.place.scope != .shared
        let addition: HTML = """
            <form class="inline" method="post" action="\(visit.place.link("zones"))">\(visit.proof)
            <label>New zone <input name="add" value="\(visit.form?["add"] ?? "")" required spellcheck="false" maxlength="255"></label> <button>Add</button></form>
            """
        let main: HTML = """
            <h1>Zones</h1>\(failure?.alert)
            <div class="scroll"><table><caption class="hidden">Zones</caption><thead><tr><th scope="col">Zone</th>\
            <th scope="col">Owner</th><th scope="col">Show</th><th scope="col">Change</th></tr></thead><tbody>\(rows)</tbody></table></div>
            \(zones.isEmpty ? "<div class=\"empty\"><p>No other user shares a zone with this one.</p></div>" : .empty)
            \(isOwn ? addition : .empty)
            """
        // Another request would not show what was typed, and why it is wrong.
        let page = Page(title: "Zones", main: main, events: failure == nil ? visit.events : nil)
        return .page(page, failure?.code.pageStatus ?? .ok)
    }

    private static func row(_ zone: RecordZone.ID, _ visit: Visit) -> HTML {
        let items: KeyValuePairs<String, String?> = ["zone": zone.zoneName, "owner": Place.owner(zone)]
        let deletion: HTML =
            zone == .default || visit.place.scope == .shared
            ? .empty
            : "<a href=\"\(visit.place.link("zones", ["zone": zone.zoneName, "delete": "1"]))\">Delete…</a>"
        return """
            <tr><th scope="row">\(zone.zoneName.shown(80))</th><td>\(zone.ownerName == RecordZone.ID.defaultOwnerName ? "you" : zone.ownerName.shown(60))</td>\
            <td><a href="\(visit.place.link(nil, items))">Records</a> <a href="\(visit.place.link("changes", items))">Changes</a></td><td>\(deletion)</td></tr>
            """
    }

    private static func change(_ form: HTTPForm, _ visit: Visit) async throws -> Answer {
        if !form["add"].isEmpty {
            try await visit.database.save(RecordZone(zoneName: form["add"]))
        } else if !form["delete"].isEmpty {
            try await visit.database.deleteRecordZone(withID: RecordZone.ID(zoneName: form["delete"]))
        }
        return .redirect(visit.place.link("zones"))
    }

    private static func question(_ visit: Visit) async throws -> Page {
        let name = visit.zoneID.zoneName
        let start = ContinuousClock.now
        var count: Int? = 0
        for type in try await visit.database.schema().shownTypes {
            guard let sum = count, start.duration(to: .now) < timeToCount else {
                count = nil
                break
            }
            count = try await visit.database.permittedCount(
                matching: Query(recordType: type), inZoneWith: visit.zoneID
            ).map { sum + $0 }
        }
        let records = count.map {
            $0 == 0 ? "It has no records." : "\($0.counted("record")) \($0 == 1 ? "goes" : "go") with it."
        }
        return Page(
            title: "Delete \(name)",
            main: """
                <h1>Delete the zone \(name.shown(120))?</h1><p>\(records ?? "All of its records go with it.")</p>
                <form method="post" action="\(visit.place.link("zones"))">\(visit.proof)<input type="hidden" name="delete" value="\(name)">
                <p><button class="danger">Delete \(name.shown(60))</button> <a class="button" href="\(visit.place.link("zones"))">Keep it</a></p></form>
                """,
            trail: [("Zones", visit.place.link("zones"))])
    }
}
