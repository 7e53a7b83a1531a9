import Cabinet
import CabinetWire
import Foundation

/// The right to send or read the bytes of one field of a record, for a user and a time, as it stands in a URL.
struct AssetTicket: Codable {
    /// Whether the bytes are sent, or read.
    enum Purpose: String, Codable {
        case upload, download
    }

    let purpose: Purpose
    let scope: DatabaseScope
    let recordName: String
    let zoneName: String
    let ownerName: String
    let recordType: String
    let fieldKey: String
    /// The asset to read.
    let asset: String?
    let user: String?
    let roles: [String]
    let expiration: Date

    /// The seconds for which a URL is valid.
    static let validity: TimeInterval = 900

    init(_ purpose: Purpose, _ slot: AssetSlot, asset: StoredAsset? = nil, for caller: Caller, at now: Date) {
        self.purpose = purpose
        scope = slot.scope
        recordName = slot.recordID.recordName
        zoneName = slot.recordID.zoneID.zoneName
        ownerName = slot.recordID.zoneID.ownerName
        (recordType, fieldKey) = (slot.recordType, slot.fieldKey)
        self.asset = asset?.description
        user = caller.account?.userRecordName
        roles = caller.account?.roles.sorted() ?? []
        // Rounded, so that the URLs of a record are mostly equal, and a browser's cache has its file.
        expiration = Date(
            timeIntervalSince1970: ((now.timeIntervalSince1970 + Self.validity) / 300).rounded(.up) * 300)
    }

    /// The record.
    var recordID: RecordID {
        RecordID(recordName: recordName, zoneID: RecordZone.ID(zoneName: zoneName, ownerName: ownerName))
    }

    /// The user that the URL was given to, from the device of CloudKit's dialect.
    var caller: Caller {
        Caller(account: user.map { Account(userRecordName: $0, roles: Set(roles)) }, deviceID: "web")
    }

    // MARK: - URLs

    /// Returns the path of a URL with the ticket.
    func path(in container: WireContainer, _ secret: ServerSecret) throws(CabinetError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { throw CabinetError(.internalError, "No URL can be made.") }
        let sealed = secret.seal(String(decoding: json, as: UTF8.self), for: Self.context(container))
        let path = ["assets", "1", container.identifier, container.environment.rawValue, sealed]
        return RequestTarget(path: path).description
    }

    /// Reads the ticket of a path.
    ///
    /// - Throws: ``HTTPError`` with the status 404 if the path has none of this server for the purpose, or it has expired.
    static func read(
        _ path: [String], for purpose: Purpose, _ secret: (WireContainer) -> ServerSecret, at now: Date
    ) throws -> (AssetTicket, WireContainer) {
        let failure = HTTPError(.notFound, "The URL is not valid, or has expired. Ask for another one.")
        guard path.count == 5 || path.count == 6, path.starts(with: ["assets", "1"]),
            let environment = WireEnvironment(rawValue: path[3])
        else { throw failure }
        let container = WireContainer(identifier: path[2], environment: environment)
        guard let text = secret(container).open(path[4], for: context(container)),
            let ticket = try? JSONDecoder().decode(AssetTicket.self, from: Data(text.utf8)),
            ticket.purpose == purpose, ticket.expiration > now
        else { throw failure }
        return (ticket, container)
    }

    private static func context(_ container: WireContainer) -> [String] {
        ["asset", container.identifier, container.environment.rawValue]
    }
}
