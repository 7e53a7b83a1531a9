import Cabinet
import CabinetTesting
import Foundation

/// A device with a copy of one zone.
///
/// Now and then it loses power, or is restored from a backup.
struct ModelDevice {
    let client: Int
    let isPublic: Bool
    let zone: String
    let keys: [String]?
    let pageSize: Int?
    var known = Known()
    private var backup = Known()

    struct Known {
        /// Encoded, as a device keeps it.
        var token: Data?
        var records: [String: Record] = [:]
        /// The creation number of the zone that this copy mirrors.
        var birth: Int?
        /// The number of the zone's deletions that are certainly known.
        var deletions = 0
        /// The model's version up to which the device knows every change; `nil` while pages are missing.
        var version: Int?
    }

    init(_ client: Int, _ isPublic: Bool, _ zone: String, keys: [String]? = nil, pageSize: Int? = nil) {
        self.client = client
        self.isPublic = isPublic
        self.zone = zone
        (self.keys, self.pageSize) = (keys, pageSize)
    }

    mutating func backUp() { backup = known }

    mutating func restore() { known = backup }
}

extension ModelRun {
    static let devices = [
        ModelDevice(0, false, RecordZone.ID.modelDefault), ModelDevice(1, false, "Home", pageSize: 1),
        ModelDevice(0, false, "Work", pageSize: 3), ModelDevice(2, false, RecordZone.ID.modelDefault, pageSize: 2),
        ModelDevice(0, true, RecordZone.ID.modelDefault, pageSize: 2),
        ModelDevice(2, true, "Home", keys: ["n", "own"]),
        ModelDevice(1, false, RecordZone.ID.modelDefault, pageSize: 1), ModelDevice(1, true, "Home", pageSize: 3),
    ]

    /// The databases that are copied as a whole.
    static let copies: [(client: Int, isPublic: Bool)] = [(0, false), (2, false), (1, true), (1, false)]

    /// Fetches some pages of a zone's changes, and compares the copy after the last page.
    mutating func sync(_ index: Int, _ pages: Int) async throws {
        var device = devices[index]
        let zoneID = RecordZone.ID(model: device.zone)
        let database = database(device.client, device.isPublic)
        let zone = model(device.client, device.isPublic).zones[device.zone]
        var remaining = pages
        var isMoreComing = true
        while isMoreComing, remaining > 0 {
            remaining -= 1
            do throws(CabinetError) {
                isMoreComing = try await page(of: &device, database, zoneID, zone)
            } catch {
                let isNew = device.known.token == nil
                switch error.code {
                case .zoneNotFound where zone == nil: isMoreComing = false
                case .changeTokenExpired where !isNew: try checkExpiration(of: device.known, zone)
                default:
                    throw ModelMismatch(
                        message: "Device \(index) could not fetch changes.", underlyingError: error)
                }
                device.known = ModelDevice.Known()
            }
        }
        devices[index] = device
        if !isMoreComing, let zone {
            let expected = zone.records.mapValues { $0.read(device.keys) }
            try expect(
                "What device \(index) knows", device.known.records.mapValues { ModelRecord($0) }, equals: expected)
        }
    }

    private func page(
        of device: inout ModelDevice, _ database: Database, _ zoneID: RecordZone.ID, _ zone: ModelDatabase.Zone?
    ) async throws(CabinetError) -> Bool {
        let isFirst = device.known.token == nil
        let result: Result<Bool, any Error>
        do {
            let token = try device.known.token.map { try JSONDecoder().decode(ServerChangeToken.self, from: $0) }
            let page = try await database.recordZoneChanges(
                inZoneWith: zoneID, since: token, desiredKeys: device.keys, resultsLimit: device.pageSize)
            guard let zone else { throw ModelMismatch(message: "The zone \(zoneID) was deleted, but has changes.") }
            if let limit = device.pageSize {
                let count = page.modificationResultsByID.count + page.deletions.count
                try expect(count <= limit, "A page has \(count) changes; expected \(limit) at most.")
            }
            for deletion in page.deletions { device.known.records[deletion.recordID.recordName] = nil }
            for (id, modification) in page.modificationResultsByID {
                let record = try modification.get().record
                if let version = device.known.version, let known = zone.records[id.recordName]?.version {
                    try expect(known > version, "\(id) is among the changes, but did not change.")
                }
                device.known.records[id.recordName] = record
            }
            device.known.token = try JSONEncoder().encode(page.changeToken)
            device.known.birth = zone.birth
            if isFirst || !page.moreComing { device.known.deletions = zone.deletions.count }
            device.known.version = page.moreComing ? nil : model(device.client, device.isPublic).version
            result = .success(page.moreComing)
        } catch {
            result = .failure(error)
        }
        do {
            return try result.get()
        } catch let error as CabinetError {
            throw error
        } catch {
            throw CabinetError(.internalError, "\(error)")
        }
    }

    /// Throws if every deletion since the device was up to date is still remembered.
    private func checkExpiration(of known: ModelDevice.Known, _ zone: ModelDatabase.Zone?) throws {
        guard let zone, zone.birth == known.birth else { return }
        let since = zone.deletions.dropFirst(known.deletions)
        let oldest = clock.now() - retention.age
        try expect(
            since.count > retention.count || since.contains { $0 < oldest },
            "A token expired, although the \(since.count) deletions since must be remembered.")
    }

    /// Brings a copy of a whole database up to date, and compares.
    mutating func update(_ index: Int) async throws {
        let (client, isPublic) = Self.copies[index]
        var copy = try JSONDecoder().decode(LocalCopy.self, from: JSONEncoder().encode(copies[index]))
        try await copy.update(from: database(client, isPublic))
        copies[index] = copy
        let zones = model(client, isPublic).zones
        // A default zone that was never used need not be reported.
        let found = Set(copy.zones.keys.map(\.zoneName)).union([RecordZone.ID.modelDefault])
        try expect("The zones of copy \(index)", found, equals: Set(zones.keys))
        for (name, zone) in zones {
            let records = copy.zones[RecordZone.ID(model: name)]?.records ?? [:]
            let known = Dictionary(records.map { ($0.key.recordName, ModelRecord($0.value)) }) { $1 }
            try expect("The zone \(name) of copy \(index)", known, equals: zone.records.mapValues { $0.read() })
        }
    }
}
