import Cabinet
import CabinetServer
import CabinetWire

/// A request for a page of a database, and what a page needs to answer it.
struct Visit: Sendable {
    let place: Place
    let page: String
    let target: RequestTarget
    let store: Dashboard.Store
    /// All containers of the dashboard.
    let siblings: [Dashboard.Store]
    let container: Container
    /// The user that reads and saves; `nil` for none.
    let account: Account?
    let log: RequestLog
    let imports: Drafts<ImportDraft>
    let uploads: Drafts<KeptFiles>
    let work: SchemaWork
    /// The time after which the work of the page is cancelled.
    let timeLimit: Duration
    /// The time to wait for a change of a schema.
    let schemaWaitLimit: Duration
    /// The hidden field that proves that a form is the dashboard's own.
    let proof: HTML
    /// The fields of the form that was sent; `nil` if the page is only shown.
    let form: HTTPForm?

    var database: Database { container.database(with: place.scope) }

    /// The value of an item of the query; `nil` if it is absent or empty.
    subscript(name: String) -> String? { target[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The zone that the query names; the default one without a name.
    var zoneID: RecordZone.ID {
        RecordZone.ID(
            zoneName: self["zone"] ?? RecordZone.ID.defaultZoneName,
            ownerName: self["owner"] ?? RecordZone.ID.defaultOwnerName)
    }

    /// The record that the query names.
    var recordID: RecordID {
        get throws {
            guard let name = self["name"] else { throw HTTPError(.badRequest, "The address names no record.") }
            return RecordID(recordName: name, zoneID: zoneID)
        }
    }

    /// The error of a page that takes too long.
    var lateness: CabinetError {
        let advice =
            form == nil
            ? "A filter by a field with an index takes less."
            : "The change was cancelled. Another program may keep the store busy: send the form again."
        return CabinetError(
            .serviceUnavailable, "The page took longer than \(timeLimit.components.seconds) seconds. \(advice)")
    }

    /// Changes the schema of the database, and waits for some time until it has changed.
    func change(_ changes: [String], _ work: @escaping @Sendable (Database) async throws -> Void) async throws {
        try await self.work.run(changes, at: place, waitLimit: schemaWaitLimit) { [database] in
            try await work(database)
        }
    }
}

/// The answer to a visit.
enum Answer: Sendable {
    case page(Page, HTTPResponse.Status)
    /// The person goes on at another page, which is read with `GET`.
    case redirect(String)
    case response(HTTPResponse)

    static func page(_ page: Page) -> Answer { .page(page, .ok) }
}

/// The content of a page, without the frame that all have.
struct Page: Sendable {
    let title: String
    var main: HTML
    /// The pages above this one, with their addresses.
    var trail: [(title: String, address: String)] = []
    /// The signals after which the content is read again; `nil` for a page that stays.
    var events: String?
}
