package import Cabinet
package import Foundation

/// Writes a database to a file of JSON lines: the schema, then each zone with its records.
///
/// Records are written in the order of the change feed, in which the targets of references come first. Memory holds one page.
package struct DatabaseExport {
    private let database: Database
    private let file: URL
    private let assets: URL

    /// The number of records that are in memory.
    private static let pageSize = 200

    package init(of database: Database, to file: URL) {
        self.database = database
        self.file = file
        assets = file.deletingLastPathComponent().appending(path: file.lastPathComponent + ".assets")
    }

    /// Writes the file, which is complete once it exists.
    ///
    /// - Parameter report: Receives the progress after each page.
    package func run(reporting report: (TransferProgress) -> Void) async throws {
        let partial = file.appendingPathExtension("partial")
        guard FileManager.default.createFile(atPath: partial.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: partial.path)
        else { throw CabinetError(.internalError, "The file \(partial.relativePath) cannot be written.") }
        defer { try? handle.close() }
        func write(_ lines: [JSONValue]) throws {
            try handle.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
        }
        let schema = try await database.schema()
        try write([["cabinet": .integer(1), "schema": .string(SchemaDocument(schema).description)]])
        var (total, count) = (0, 0)
        for type in schema.recordTypes.keys where type != "Users" {
            total += try await database.count(matching: Query(recordType: type))
        }
        for zone in try await database.allRecordZones().map(\.zoneID).sorted(by: { $0.zoneName < $1.zoneName }) {
            if zone != .default { try write([["zone": .string(zone.zoneName)]]) }
            for try await page in database.recordZoneChangeSequence(
                inZoneWith: zone, since: nil, pageSize: Self.pageSize)
            {
                try Task.checkCancellation()
                let records = page.modifications.map(\.record)
                for record in records { try await saveAssets(of: record) }
                let folder = assets.lastPathComponent
                try write(
                    records.map { record in
                        RecordJSON.object(record, hasSystemFields: false) { asset in
                            asset.checksum.map { "\(folder)/\($0)" }
                        }
                    })
                count += records.count
                report(
                    TransferProgress(count: count, fraction: total == 0 ? nil : min(1, Double(count) / Double(total))))
            }
        }
        try handle.synchronize()
        guard rename(partial.path, file.path) == 0 else {
            throw CabinetError(
                .internalError, "The export is complete, but \(partial.relativePath) cannot be renamed to its name.")
        }
    }

    /// Writes the files of a record's assets, each once.
    private func saveAssets(of record: Record) async throws {
        for (_, value) in record {
            for asset in value.fieldValue?.assets ?? [] {
                guard let name = asset.checksum?.description else { continue }
                // The folder itself says which files it has, so that memory does not grow with their number.
                let target = assets.appending(path: name)
                if FileManager.default.fileExists(atPath: target.path) { continue }
                try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
                let partial = assets.appending(path: name + ".partial")
                try? FileManager.default.removeItem(at: partial)
                try await asset.write(to: partial)
                _ = rename(partial.path, target.path)
            }
        }
    }
}
