import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// Writes a database to a file of JSON lines: the schema, then each zone with its records.
///
/// Records are written in the order of the change feed, in which the targets of references come first. Memory holds one page.
struct DatabaseExport {
    private let database: Database
    private let file: URL
    private let assets: URL
    private var meter: TransferMeter

    /// The number of records that are in memory.
    private static let pageSize = 200

    init(of database: Database, to file: URL, meter: TransferMeter) throws {
        self.database = database
        self.file = file
        self.meter = meter
        assets = file.deletingLastPathComponent().appending(path: file.lastPathComponent + ".assets")
    }

    mutating func run() async throws {
        let partial = file.appendingPathExtension("partial")
        guard FileManager.default.createFile(atPath: partial.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: partial.path)
        else { throw CommandError(.failure, "The file \(partial.relativePath.printable) cannot be written.") }
        defer { try? handle.close() }
        func write(_ lines: [JSONValue]) throws {
            try handle.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
        }
        let schema = try await database.schema()
        try write([["cabinet": .integer(1), "schema": .string(SchemaDocument(schema).description)]])
        var total = 0
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
                meter.fraction = total == 0 ? nil : min(1, Double(meter.count + records.count) / Double(total))
                meter.add(records.count)
            }
        }
        try handle.synchronize()
        guard rename(partial.path, file.path) == 0 else {
            throw CommandError(
                .failure, "The export is complete, but \(partial.relativePath.printable) cannot be renamed to its name."
            )
        }
        meter.finish("Exported to \(file.relativePath.printable)")
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
