import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let listAssets = Command(
        words: ["assets", "list"], parameters: ["[TYPE]"], summary: "List the files of records, with their sizes",
        examples: ["cabinet assets list", "cabinet assets list Notes --format csv"]
    ) { invocation in
        let type = invocation.arguments.parameters.first
        try await invocation.withDatabase { database in
            var rows: [[JSONValue]] = []
            try await invocation.forEachAsset(of: database, recordType: type) { record, key, asset in
                rows.append([
                    .string(record.recordID.recordName), .string(record.recordType), .string(key),
                    .integer(asset.size ?? 0), .string(asset.checksum?.description ?? ""),
                ])
            }
            try invocation.write(["recordName", "type", "field", "bytes", "checksum"], rows)
        }
    }

    static let getAsset = Command(
        words: ["assets", "get"], parameters: ["NAME", "FIELD", "FILE"],
        summary: "Write the file in a record's field to a new file",
        details: "From a list of files, the first is written; FIELD:2 is the second one.",
        examples: ["cabinet assets get first noteImage hills.jpg"]
    ) { invocation in
        let id = RecordID(recordName: try invocation.parameter(0), zoneID: invocation.zoneID ?? .default)
        let parts = try invocation.parameter(1).split(separator: ":").map(String.init)
        let file = URL(filePath: try invocation.parameter(2))
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw CommandError(.conflict, "The file \(file.relativePath.printable) exists. Give the name of a new one.")
        }
        try await invocation.withDatabase { database in
            let key = parts.first ?? ""
            let record = try await database.record(for: id)
            let number = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
            guard let assets = record[key]?.fieldValue?.assets, number > 0, number <= assets.count else {
                throw CommandError(
                    .notFound, "The record \(id) has no file in \(parts.joined(separator: ":").printable).")
            }
            try await assets[number - 1].write(to: file)
            invocation.console.write(
                "\(file.relativePath.printable): \((assets[number - 1].size ?? 0).counted("byte")).")
        }
    }

    static let assetSizes = Command(
        words: ["assets", "sizes"], summary: "Print the number and the size of the files of each field",
        details: "Equal files are stored once: stored is the size on the disk.",
        examples: ["cabinet assets sizes"]
    ) { invocation in
        try await invocation.withDatabase { database in
            var sums: [String: (type: String, field: String, count: Int64, bytes: Int64, stored: Int64)] = [:]
            var seen: [String: Set<String>] = [:]
            try await invocation.forEachAsset(of: database, recordType: nil) { record, key, asset in
                let name = "\(record.recordType).\(key)"
                var sum = sums[name] ?? (record.recordType, key, 0, 0, 0)
                sum.count += 1
                // A damaged record may have any size.
                sum.bytes &+= asset.size ?? 0
                if seen[name, default: []].insert(asset.checksum?.description ?? "").inserted {
                    sum.stored &+= asset.size ?? 0
                }
                sums[name] = sum
            }
            let rows = sums.sorted { $0.key < $1.key }.map { _, sum -> [JSONValue] in
                [.string(sum.type), .string(sum.field), .integer(sum.count), .integer(sum.bytes), .integer(sum.stored)]
            }
            try invocation.write(["type", "field", "files", "bytes", "stored"], rows)
        }
    }

    static let unusedAssets = Command(
        words: ["assets", "unused"], options: [CLIOption.remove],
        summary: "List stored files that no record has, and remove them",
        details: "A store removes the files of deleted records itself. Interrupted programs may leave some.",
        examples: ["cabinet assets unused", "cabinet assets unused --remove"]
    ) { invocation in
        let scope = try invocation.scope()
        try await invocation.withBackend { container, backend in
            let database = try await container.key(of: scope)
            var rows: [[JSONValue]] = []
            var last: Asset.Checksum?
            while true {
                let start = last
                let (stored, used) = try await backend.read(database) { snapshot in
                    guard let assets = snapshot.abilities.assets else {
                        return ([StoredAsset](), Set<Asset.Checksum>())
                    }
                    let stored = try await assets.assets(after: start, limit: 1000)
                    return (stored, try await assets.assetsInUse(among: stored.map(\.checksum)))
                }
                guard let end = stored.last else { break }
                rows += stored.filter { !used.contains($0.checksum) }.map {
                    [.string($0.checksum.description), .integer($0.size)]
                }
                last = end.checksum
            }
            try invocation.write(["checksum", "bytes"], rows)
            guard invocation.hasFlag(CLIOption.remove) else { return }
            let count = try await backend.abilities.assets?.removeAbandonedAssets(from: database) ?? 0
            invocation.console.writeError(
                "\(count.counted("file of an interrupted program was", "files of interrupted programs were")) removed.")
        }
    }
}

extension Invocation {
    /// Calls a closure with each asset of a database's records.
    fileprivate func forEachAsset(
        of database: Database, recordType: String?, _ body: (Record, String, Asset) throws -> Void
    ) async throws {
        let schema = try await database.schema()
        if let recordType, schema.recordTypes[recordType] == nil {
            // A misspelled type is reported as a query reports it.
            try await database.validate(Query(recordType: recordType))
        }
        for (name, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            let keys = type.fields.filter { $0.value.type.scalar == .asset }.map(\.key).sorted()
            guard !keys.isEmpty, recordType == nil || recordType == name else { continue }
            let records = database.recordSequence(
                matching: Query(recordType: name), inZoneWith: zoneID, desiredKeys: keys, pageSize: 1000)
            for try await record in records {
                for key in keys {
                    for asset in record[key]?.fieldValue?.assets ?? [] { try body(record, key, asset) }
                }
            }
        }
    }
}
