import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The health of a store on a server, as far as its requests show it.
enum RemoteHealth {
    /// The time that counting may take for the whole page.
    private static let timeToCount = Duration.seconds(2)

    static func page(_ visit: Visit) async throws -> Page {
        let start = ContinuousClock.now
        _ = try await visit.container.publicDatabase.recordZone(for: .default)
        let duration = start.duration(to: .now)
        var rows: [HTML] = []
        for (name, scope) in Place.scopes where visit.account != nil || scope == .public {
            do {
                rows.append(try await row(name, visit.container.database(with: scope), since: start))
            } catch let error as CabinetError {
                rows.append(
                    "<tr><th scope=\"row\">\(name.capitalized)</th><td colspan=\"3\">\(error.message.shown(200))</td></tr>"
                )
            }
        }
        let main: HTML = """
            <h1>Health</h1>
            <dl><dt>Server</dt><dd>answers in \(Int(duration / .microseconds(1)).grouped) µs</dd>\
            <dt>User</dt><dd>\((visit.account?.userRecordName ?? "none").shown(80))</dd></dl>
            <h2>Sizes</h2>
            \(.table(["Database", "Zones", "Record types", "Records"], numbers: [1, 2, 3], caption: "Databases", rows))
            <p>A server does not tell its clients the bytes of assets, the databases of other users, its users and keys, or whether its store
            is damaged. These are shown where the store lies: <code>cabinet dashboard --store FOLDER</code>, or
            <code>cabinet serve --dashboard</code>. <code>cabinet verify</code> verifies it there.</p>
            <h2>Requests of the dashboard</h2>\(HealthPage.requests(visit.log.latest))
            """
        return Page(title: "Health", main: main)
    }

    private static func row(
        _ name: String, _ database: Database, since start: ContinuousClock.Instant
    ) async throws -> HTML {
        let zones = try await database.allRecordZones()
        let types = try await database.schema().shownTypes
        var count: Int? = 0
        for type in types {
            // The shared database has counts of zones alone.
            for zoneID in database.databaseScope == .shared ? zones.map(\.zoneID) : [nil] as [RecordZone.ID?] {
                guard let sum = count, start.duration(to: .now) < timeToCount else {
                    count = nil
                    break
                }
                count = try await database.permittedCount(matching: Query(recordType: type), inZoneWith: zoneID)
                    .map { sum + $0 }
            }
        }
        return """
            <tr><th scope="row">\(name.capitalized)</th><td class="number">\(zones.count.grouped)</td>\
            <td class="number">\(types.count.grouped)</td><td class="number">\(count?.grouped ?? "…")</td></tr>
            """
    }
}
