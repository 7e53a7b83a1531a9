import Cabinet
import CabinetServer
import Foundation

/// The shares of a user's zones, or of those that other users share, with their participants.
enum SharesPage {
    /// The number of shares that are shown.
    private static let limit = 200

    static func answer(_ visit: Visit) async throws -> Answer {
        let shares = visit.place.scope == .public ? [] : try await shares(visit)
        let sections = shares.map { section($0, visit) }
        let empty: HTML = """
            <div class="empty"><p>\(visit.place.scope == .public ? "Records of the public database are not shared: all users have it." : "Nothing is shared here. Programs share zones and records.")</p></div>
            """
        return .page(
            Page(
                title: "Shares", main: "<h1>Shares</h1>\(sections.isEmpty ? empty : sections.joined(by: .empty))",
                events: visit.events))
    }

    private static func shares(_ visit: Visit) async throws -> [Share] {
        var shares: [Share] = []
        for zone in try await visit.database.allRecordZones() where zone.zoneID != .default && shares.count < limit {
            let query = Query(recordType: Share.recordType)
            let found = try? await visit.database.records(
                matching: query, inZoneWith: zone.zoneID, resultsLimit: limit - shares.count)
            for (_, result) in found?.matchResults ?? [] { shares.append(try Share(try result.get())) }
        }
        return shares
    }

    private static func section(_ share: Share, _ visit: Visit) -> HTML {
        let rows = share.participants.map { participant -> HTML in
            """
            <tr><th scope="row">\(participant.userRecordName.shown(60))</th><td>\("\(participant.role)")</td>\
            <td>\("\(participant.permission)")</td><td>\("\(participant.acceptanceStatus)")</td></tr>
            """
        }
        let zone = share.recordID.zoneID
        let title = share[Share.SystemFieldKey.title] as? String ?? zone.zoneName
        let root = share.rootRecordID.map { id -> HTML in
            " <a href=\"\(visit.place.link(to: id))\">\(id.recordName.shown(60))</a>"
        }
        let url = share.url.map { url -> HTML in "<p><code class=\"break\">\(url.absoluteString)</code></p>" }
        return """
            <section><h2>\(title.shown(120))</h2><p>Zone \(zone.zoneName.shown(60))\(root)</p>\(url)
            <div class="scroll"><table><caption class="hidden">Participants</caption><thead><tr><th scope="col">User</th><th scope="col">Role</th>\
            <th scope="col">Permission</th><th scope="col">State</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }
}
