import Cabinet
import CabinetServer
import Foundation

/// The changes that the server of a mirror lacks, if the store that is shown is the local one of a mirror.
struct MirrorPart {
    private let store: MirrorStore

    /// The number of records that are listed.
    private static let maximumCount = 100

    /// Creates the part for a visit of a private database; `nil` for another one, and for a store that is elsewhere.
    init?(_ visit: Visit) throws {
        guard visit.place.scope == .private, let storage = visit.store.storage, let account = visit.account else {
            return nil
        }
        let service = try LocalDatabaseService(
            mirrorIn: storage, of: .private, limits: .default, changeRetention: ChangeRetention(), now: { Date() })
        // Nothing is sent here, so no conflict is resolved.
        store = try MirrorStore(
            service, for: Caller(account: account, deviceID: "dashboard"),
            policy: MirrorPolicy(keepsEdits: true) { $0.serverRecord })
    }

    /// Returns the state of a record as a line of its page; `nil` if nothing is to be sent.
    func state(of id: RecordID) async throws -> HTML? {
        try await store.pending([id])[id].map(Self.state)
    }

    /// Returns the state of the mirror as a part of a page; `nil` for a store without pending changes.
    func html(_ place: Place) async throws -> HTML? {
        let counts = try await store.counts()
        if counts.pending == 0 { return nil }
        let rows = try await store.pending(after: nil, limit: Self.maximumCount).map { pending -> HTML in
            let id = pending.change.recordID
            let name: HTML =
                pending.record == nil
                ? "\(id.recordName.shown(60))"
                : "<a href=\"\(place.link(to: id))\">\(id.recordName.shown(60))</a>"
            return
                "<tr><th scope=\"row\">\(name)</th><td>\(id.zoneID.zoneName.shown(40))</td><td>\(Self.state(pending))</td></tr>"
        }
        return """
            <h2>Mirror</h2><p>\(counts.pending.counted("change")) \(counts.pending == 1 ? "is" : "are") not on the server yet, \
            \(counts.setAside.grouped) of them set aside. <code>cabinet mirror</code> sends them, and decides about those.</p>
            \(.table(["Record", "Zone", "State"], caption: "Changes to send", rows))
            """
    }

    private static func state(_ pending: PendingRecord) -> HTML {
        if let error = pending.change.error {
            return "<span class=\"loss\">set aside: \(error.message.shown(300))</span>"
        }
        return pending.record == nil ? "deleted here, to be sent" : "changed here, to be sent"
    }
}
