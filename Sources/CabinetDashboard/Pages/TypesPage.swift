import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The record types of a database, with their numbers of records, fields and indexes.
enum TypesPage {
    /// The time that counting may take for a whole page.
    private static let timeToCount = Duration.seconds(1)

    static func answer(_ visit: Visit) async throws -> Answer {
        let zone = visit["zone"].map { _ in visit.zoneID }
        let isShared = visit.place.scope == .shared
        if isShared, zone == nil { return .page(choiceOfZone(visit, "Record types", "records in zones")) }
        let schema = try await visit.database.schema()
        let start = ContinuousClock.now
        var rows: [HTML] = []
        for name in schema.shownTypes {
            let type = schema[name]
            var count: HTML = "…"
            if start.duration(to: .now) < timeToCount {
                let number = try await visit.database.permittedCount(
                    matching: Query(recordType: name), inZoneWith: zone)
                // The schema of the shared database has the types of all zones.
                if isShared, number == 0 { continue }
                count = number.map { "\($0.grouped)" } ?? "<span class=\"none\">not permitted</span>"
            }
            let fields = type.fields.filter { SystemField(rawValue: $0.key) == nil }.count
            let indexes = type.indexes.count + type.fields.values.reduce(0) { $0 + ($1.options.isEmpty ? 0 : 1) }
            let items: KeyValuePairs<String, String?> = [
                "type": name, "zone": zone?.zoneName, "owner": Place.owner(zone),
            ]
            rows.append(
                """
                <tr><td><a href="\(visit.place.link("records", items))">\(name.shown(80))</a></td>\
                <td class="number">\(count)</td>\
                <td class="number"><a href="\(visit.place.link("type", items))">\(fields)</a></td>\
                <td class="number">\(indexes)</td></tr>
                """)
        }
        let table: HTML =
            rows.isEmpty
            ? """
            <div class="empty"><p>This \(isShared ? "zone has no records" : "database has no record types").</p>
            \(isShared ? .empty : advice(visit))</div>
            """
            : """
            <div class="scroll"><table><caption class="hidden">Record types</caption>
            <thead><tr><th scope="col">Type</th><th scope="col" class="number">Records</th>\
            <th scope="col" class="number">Fields</th><th scope="col" class="number">Indexes</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
        let title = zone.map { "Zone \($0.zoneName)" } ?? "Record types"
        let export: HTML =
            zone != nil || rows.isEmpty
            ? .empty
            : """
            <p><a class="button" href="\(visit.place.link("export", ["format": "zip"]))">Export all with assets (ZIP)</a></p>
            """
        return .page(
            Page(
                title: title, main: "<h1>\(title.shown(80))</h1>\(table)\(export)",
                trail: zone == nil ? [] : [("Zones", visit.place.link("zones"))], events: visit.events))
    }

    private static func advice(_ visit: Visit) -> HTML {
        """
        <p>Save a record with a program, or <a href="\(visit.place.link("schema"))">write a schema</a>.</p>
        """
    }

    /// A page of the shared database that needs a zone.
    static func choiceOfZone(_ visit: Visit, _ title: String, _ content: String) -> Page {
        Page(
            title: title,
            main: """
                <h1>\(title)</h1><div class="empty"><p>The shared database has \(content).</p>
                <p><a href="\(visit.place.link("zones"))">Choose a zone</a></p></div>
                """)
    }
}

extension Database {
    /// Returns the number of records that match a query; `nil` if the user may not read records of the type.
    func permittedCount(matching query: Query, inZoneWith zoneID: RecordZone.ID?) async throws -> Int? {
        do {
            return try await count(matching: query, inZoneWith: zoneID)
        } catch let error as CabinetError where error.code == .permissionFailure {
            return nil
        }
    }
}
