package import Cabinet
package import Foundation

/// Writes a database to a file of JSON lines: the schema, each zone with its records, and the number of these lines.
///
/// Records are written in the order of the change feed, in which the targets of references come first. Programs may change the
/// database during an export: it follows the feed to its end, so a record that changes is written once more, and a deletion has a line of
/// its own. Memory holds one page.
package struct DatabaseExport {
    private let database: Database
    private let file: URL
    private let assets: any ExportedAssets
    /// The number of changes that are in memory.
    var pageSize = 200

    /// The number of times that the zones are visited again while programs change them.
    private static let maximumRounds = 20

    /// Creates an export.
    package init(of database: Database, to file: URL) {
        self.init(of: database, to: file, assets: file.isStream ? NoAssetFolder() : AssetFolder(beside: file))
    }

    /// Creates an export with its assets elsewhere.
    init(of database: Database, to file: URL, assets: any ExportedAssets) {
        self.database = database
        self.file = file
        self.assets = assets
    }

    /// Writes the file, which is complete once it exists; a pipe or a device is written at once.
    ///
    /// - Parameter report: Receives the progress after each page.
    package func run(reporting report: (TransferEvent) -> Void) async throws {
        var writer = Writer(
            database: database, pageSize: pageSize, output: try ExportFile(file), assets: assets)
        do {
            try await write(to: &writer, report)
            try assets.finish()
            try writer.output.finish()
        } catch {
            writer.output.discard()
            throw error
        }
    }

    private func write(to writer: inout Writer, _ report: (TransferEvent) -> Void) async throws {
        try await writer.writeSchema()
        for type in try await database.schema().shownTypes {
            writer.total += try await database.count(matching: Query(recordType: type))
        }
        for _ in 0..<Self.maximumRounds {
            let zones = try await writer.changedZones()
            if zones.isEmpty { break }
            for zone in zones { try await writer.follow(zone, report) }
        }
    }
}

extension DatabaseExport {
    /// The state of a running export.
    private struct Writer {
        let database: Database
        let pageSize: Int
        var output: ExportFile
        let assets: any ExportedAssets
        var (total, count) = (0, 0)
        private var schema: Schema?
        private var token: ServerChangeToken?
        private var tokens: [RecordZone.ID: ServerChangeToken] = [:]
        /// The wrapped keys that were written.
        private var keys: [RecordZone.ID: [UInt8]] = [:]

        /// The number of times that a zone is begun again.
        private static let maximumRestarts = 10

        init(database: Database, pageSize: Int, output: ExportFile, assets: any ExportedAssets) {
            self.database = database
            self.pageSize = pageSize
            self.output = output
            self.assets = assets
        }

        /// Writes the schema if it has changed since it was written.
        mutating func writeSchema() async throws {
            let current = try await database.schema()
            if current == schema { return }
            schema = current
            try output.write([
                ["cabinet": .integer(ExportSection.version), "schema": .string(SchemaDocument(current).description)]
            ])
        }

        /// Returns the zones that have changed since the last call, all of them the first time.
        mutating func changedZones() async throws -> [RecordZone.ID] {
            var changed: Set<RecordZone.ID> = []
            do {
                for try await page in database.databaseChangeSequence(since: token) {
                    changed.formUnion(page.modifications.map(\.zoneID))
                    for deletion in page.deletions { drop(deletion.zoneID) }
                    token = page.changeToken
                }
            } catch CabinetError.Code.changeTokenExpired where token != nil {
                // Deletions of zones were forgotten: a zone that is not among all zones was deleted.
                token = nil
                changed = Set(try await changedZones())
                for zoneID in Set(tokens.keys).subtracting(changed) { drop(zoneID) }
            }
            return changed.sorted { $0.zoneName < $1.zoneName }
        }

        /// Writes the changes of a zone up to the last one.
        mutating func follow(_ zoneID: RecordZone.ID, _ report: (TransferEvent) -> Void) async throws {
            var restarts = 0
            while true {
                do {
                    try await writeChanges(of: zoneID, report)
                    // After the records, which are of no use without them.
                    return try await writeKeys(of: zoneID)
                } catch CabinetError.Code.zoneNotFound {
                    return drop(zoneID)
                } catch CabinetError.Code.changeTokenExpired where restarts < Self.maximumRestarts {
                    // The zone was deleted and created again.
                    drop(zoneID)
                    restarts += 1
                }
            }
        }

        private mutating func drop(_ zoneID: RecordZone.ID) {
            output.drop(zoneID)
            tokens[zoneID] = nil
            keys[zoneID] = nil
        }

        /// Writes the keys of a zone's encrypted values, which its users alone can unwrap, if they have changed.
        private mutating func writeKeys(of zoneID: RecordZone.ID) async throws {
            let fields = schema?.recordTypes.values.lazy.flatMap(\.fields.values)
            guard fields?.contains(where: \.type.isEncrypted) == true,
                let (current, owner) = try await database.codedKeys(ofZoneWith: zoneID), current != keys[zoneID]
            else { return }
            let value = try JSONValue(parsing: String(decoding: current, as: UTF8.self))
            let line: JSONValue = [
                "zone": .string(zoneID.zoneName), "owner": owner.map(JSONValue.string) ?? .null, "keys": value,
            ]
            try output.write([line], of: zoneID)
            keys[zoneID] = current
        }

        /// Writes the assets of records, and returns the records without those that have changed since, which a later page has.
        private func savingAssets(of records: [Record]) async throws -> [Record] {
            var saved: [Record] = []
            for record in records {
                do {
                    try await saveAssets(of: record)
                    saved.append(record)
                } catch let error as CabinetError where error.code == .assetNotAvailable {
                    let current = try await database.records(for: [record.recordID], desiredKeys: [])[record.recordID]
                    if case .success(let current)? = current, current.recordChangeTag == record.recordChangeTag {
                        throw error
                    }
                }
            }
            return saved
        }

        /// Writes the assets of a record.
        ///
        /// - Throws: ``/Cabinet/CabinetError/Code/assetNotAvailable`` with the record and the field of an asset whose bytes are lost.
        private func saveAssets(of record: Record) async throws {
            for (key, value) in record {
                for asset in value.fieldValue?.assets ?? [] where asset.stored != nil {
                    do {
                        try await assets.save(asset)
                    } catch var error as CabinetError where error.code == .assetNotAvailable {
                        (error.recordID, error.fieldKey) = (record.recordID, key)
                        throw error
                    }
                }
            }
        }

        private mutating func writeChanges(
            of zoneID: RecordZone.ID, _ report: (TransferEvent) -> Void
        ) async throws {
            let pages = database.recordZoneChangeSequence(
                inZoneWith: zoneID, since: tokens[zoneID], pageSize: pageSize)
            for try await page in pages {
                if tokens[zoneID] == nil, zoneID != .default {
                    try output.write([["zone": .string(zoneID.zoneName)]], of: zoneID)
                }
                var records = page.modifications.map(\.record)
                // After the page was read, so that its fields are known.
                if !records.isEmpty { try await writeSchema() }
                records = try await savingAssets(of: records)
                var lines = records.map { RecordJSON.object($0, hasSystemFields: false, asset: assets.path) }
                lines += page.deletions.map { RecordJSON.deletion(of: $0.recordID, recordType: $0.recordType) }
                try output.write(lines, of: zoneID)
                tokens[zoneID] = page.changeToken
                count += records.count
                report(.progress(count: count, fraction: total == 0 ? nil : min(1, Double(count) / Double(total))))
            }
        }
    }
}
