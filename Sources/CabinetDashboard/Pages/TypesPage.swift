import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The record types of a database, with their numbers of records, fields and indexes.
enum TypesPage {
    /// The time that counting may take for a whole page.
    private static let timeToCount = Duration.seconds(1)

    static func answer(_ visit: Visit) async throws -> Answer {
        let schema = try await visit.database.schema()
        let zone = visit["zone"].map { _ in visit.zoneID }
        let start = ContinuousClock.now
        var rows: [HTML] = []
        for name in schema.shownTypes {
            let type = schema[name]
            var count: Int?
            // The shared database has counts of zones alone.
            if start.duration(to: .now) < timeToCount, visit.place.scope != .shared || zone != nil {
                count = try await visit.database.count(matching: Query(recordType: name), inZoneWith: zone)
            }
            let fields = type.fields.filter { SystemField(rawValue: $0.key) == nil }.count
            let indexes = type.indexes.count + type.fields.values.reduce(0) { $0 + ($1.options.isEmpty ? 0 : 1) }
            let items: KeyValuePairs<String, String?> = [
                "type": name, "zone": Place.zoneName(zone), "owner": Place.owner(zone),
            ]
            rows.append(
                """
                <tr><td><a href="\(visit.place.link("records", items))">\(name.shown(80))</a></td>\
                <td class="number">\(count?.grouped ?? "…")</td>\
                <td class="number"><a href="\(visit.place.link("type", ["type": name]))">\(fields)</a></td>\
                <td class="number">\(indexes)</td></tr>
                """)
        }
        let table: HTML =
            rows.isEmpty
            ? """
            <div class="empty"><p>This database has no record types.</p>
            <p>Save a record with a program, or <a href="\(visit.place.link("schema"))">write a schema</a>.</p></div>
            """
            : """
            <div class="scroll"><table><caption class="hidden">Record types</caption>
            <thead><tr><th scope="col">Type</th><th scope="col" class="number">Records</th>\
            <th scope="col" class="number">Fields</th><th scope="col" class="number">Indexes</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
        let title = zone.map { "Zone \($0.zoneName)" } ?? "Record types"
        let export: HTML =
            zone != nil || rows.isEmpty || visit.place.scope == .shared
            ? .empty
            : """
            <p><a class="button" href="\(visit.place.link("export", ["format": "zip"]))">Export all with assets (ZIP)</a></p>
            """
        return .page(
            Page(
                title: title, main: "<h1>\(title.shown(80))</h1>\(table)\(export)",
                trail: zone == nil ? [] : [("Zones", visit.place.link("zones"))], events: visit.events))
    }
}
