import Cabinet

/// One action of a client or a device, or the passing of time: a value that can be replayed in another world.
enum ModelOperation: Hashable, Sendable {
    /// Saves and deletes records in one request.
    case batch(client: Int, isPublic: Bool, [ModelEdit], deleting: [ModelKey], RecordSavePolicy, isAtomic: Bool)
    /// Saves one record, and merges it with changes of other clients.
    case resolve(client: Int, isPublic: Bool, ModelEdit, ModelResolver)
    /// Fetches a record, which later edits may start from.
    case fetch(client: Int, isPublic: Bool, ModelKey, keys: [String]?)
    case saveZone(client: Int, isPublic: Bool, String)
    case deleteZone(client: Int, isPublic: Bool, String)
    /// A device fetches some pages of a zone's changes.
    case sync(device: Int, pages: Int)
    /// A device is restored from its backup, or is backed up.
    case restore(device: Int)
    case backUp(device: Int)
    /// A copy of a whole database applies the latest changes.
    case update(copy: Int)
    case wait(seconds: Int)
}

/// A client's edit of a record.
struct ModelEdit: Hashable, Sendable {
    var key: ModelKey
    /// The type, if it is a new record.
    var type: String
    /// The index, counted from the newest, of the fetched version that the edit starts from.
    ///
    /// `nil` for a new record; the record is also new if the client has fetched no version.
    var age: Int?
    var changes: [String: ModelValue?]
    /// The parent's name; `.some(nil)` removes it.
    var parent: String??
}

enum ModelResolver: Hashable, Sendable, CaseIterable {
    case serverWins, clientWins, preferClient, preferServer

    var resolver: ConflictResolver {
        switch self {
        case .serverWins: .serverWins
        case .clientWins: .clientWins
        case .preferClient: .fieldwise(whenBothChanged: .client)
        case .preferServer: .fieldwise(whenBothChanged: .server)
        }
    }
}

extension ModelOperation: CustomStringConvertible {
    var description: String {
        func actor(_ client: Int, _ isPublic: Bool) -> String { "client \(client)\(isPublic ? ", public" : ""):" }
        switch self {
        case .batch(let client, let isPublic, let edits, let keys, let policy, let isAtomic):
            let parts = edits.map { "save \($0)" } + keys.map { "delete \($0)" }
            return
                "\(actor(client, isPublic)) \(isAtomic ? "atomically, " : "")\(policy): \(parts.joined(separator: "; "))"
        case .resolve(let client, let isPublic, let edit, let resolver):
            return "\(actor(client, isPublic)) save \(edit), \(resolver)"
        case .fetch(let client, let isPublic, let key, let keys):
            return "\(actor(client, isPublic)) fetch \(key)\(keys.map { " with \($0)" } ?? "")"
        case .saveZone(let client, let isPublic, let zone): return "\(actor(client, isPublic)) save the zone \(zone)"
        case .deleteZone(let client, let isPublic, let zone):
            return "\(actor(client, isPublic)) delete the zone \(zone)"
        case .sync(let device, let pages): return "device \(device): fetch \(pages) pages of changes"
        case .restore(let device): return "device \(device): restore the backup"
        case .backUp(let device): return "device \(device): back up"
        case .update(let copy): return "copy \(copy): update"
        case .wait(let seconds): return "wait \(seconds) seconds"
        }
    }
}

extension ModelEdit: CustomStringConvertible {
    var description: String {
        let origin = age.map { $0 == 0 ? "the version known" : "the version known \($0) ago" } ?? "a new \(type)"
        var changes = changes.sorted { $0.key < $1.key }.map { "\($0) = \($1.map { "\($0)" } ?? "nil")" }
        if let parent { changes.append("parent = \(parent ?? "nil")") }
        return "\(key) (\(origin)\(changes.isEmpty ? "" : ": ")\(changes.joined(separator: ", ")))"
    }
}

extension ModelRecord: CustomStringConvertible {
    var description: String {
        var parts = fields.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        if let parent { parts.append("parent = \(parent)") }
        let users = creator == modifier ? "by \(creator)" : "by \(creator), then \(modifier)"
        return "\(type) {\(parts.joined(separator: ", "))} \(users)"
    }
}

extension ModelKey: CustomStringConvertible {
    var description: String { zone == RecordZone.ID.modelDefault ? name : "\(zone)/\(name)" }
}

extension ModelLink: CustomStringConvertible {
    var description: String { "→ \(name) (\(action))" }
}

extension ModelValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text), .other(let text): "'\(text)'"
        case .link(let link): "\(link)"
        case .links(let links): "\(links)"
        }
    }
}
