import Cabinet
import CabinetSQLite
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let copy = Command(
        words: ["copy"], parameters: ["TO"], options: [CLIOption.toSchema],
        summary: "Copy the whole store to another one, and compare both",
        details:
            """
            TO is the new store: a new or empty folder or PostgreSQL schema, or an older copy. All databases of all users are copied with everything: schemas with their
            roles, grants and unique values, zones, records, files and subscriptions. At the end both stores are read and compared. The
            store may be in use. An interrupted copy continues when it is repeated.
            """,
        examples: [
            "cabinet copy postgresql://localhost/shop --store ~/shop", "cabinet copy ~/backup/shop",
            "cabinet copy postgresql://localhost/shop --store postgresql://localhost/shop --to-schema shop_2",
        ]
    ) { invocation in
        let to = try invocation.parameter(0)
        try await invocation.checkTakesCopy(at: to)
        try await invocation.withBackend { source, _ in
            let schemaName = invocation.option(CLIOption.toSchema)
            try await invocation.withBackend(writes: true, at: to, schemaName: schemaName) { target, _ in
                let report = try await invocation.console.showing("Copying") { activity in
                    try await source.copy(to: target) { progress in
                        activity.report(Double(progress.completedRecords) / Double(max(1, progress.totalRecords)))
                    }
                }
                invocation.console.write("\(report)".printableLines)
            }
        }
    }

    static let verify = Command(
        words: ["verify"], options: [CLIOption.repair],
        summary: "Check records, references, unique values, indexes, changes and assets of the whole store",
        details: """
            --repair rebuilds what is derived from the records, and changes no record. A copy that was interrupted, and a file of a newer
            version or of another program are not damage: they are named and not changed, and the exit code is 1.
            """,
        examples: ["cabinet verify", "cabinet verify --repair"]
    ) { invocation in
        try await invocation.withBackend { container, _ in
            let repairs = invocation.hasFlag(CLIOption.repair)
            let report = try await invocation.console.showing("Verifying") {
                try await container.verify(repairing: repairs)
            }
            invocation.console.write("\(report)".printableLines)
            if let advice = report.advice(afterRepair: repairs) { throw CommandError(.different, advice) }
            if !report.isClean {
                let reasons = Set(report.refusals.values)
                let reason = (reasons.count == 1 ? reasons.first : nil) ?? "The report names the reasons."
                throw CommandError(.failure, "Not everything could be verified. \(reason)")
            }
        }
    }

    static let stats = Command(
        words: ["stats"], summary: "Print the number of records of each type, and a digest of them",
        details: "Equal records give equal digests in every store. Dates, users and change tags do not count.",
        examples: ["cabinet stats", "cabinet stats --format json"]
    ) { invocation in
        try await invocation.withDatabase { database in
            var rows: [[JSONValue]] = []
            for type in try await database.schema().shownTypes {
                var digest = RecordDigest()
                let records = database.recordSequence(
                    matching: Query(recordType: type), inZoneWith: invocation.zoneID, pageSize: 1000)
                for try await record in records { digest.add(record) }
                rows.append([.string(type), .integer(Int64(digest.recordCount)), .string("\(digest)")])
            }
            try invocation.write(["type", "records", "digest"], rows)
        }
    }

    static let export = Command(
        words: ["export"], parameters: ["FILE"],
        summary: "Write the database's schema, zones and records to a file of JSON lines, with assets beside it",
        details: """
            The files of assets go to the folder FILE.assets. Users' own records and subscriptions are left out. FILE is complete once it exists;
            until then it is called FILE.partial. A pipe, or a device such as /dev/stdout, is written at once, and takes no files of assets.
            The last line counts the others, so that an import recognizes what a failed export has left in a pipe.
            Programs may change the database during an export: it follows them to the last change, and deleted records have a line of
            their own.
            """,
        examples: [
            "cabinet export shop.jsonl", "cabinet export --database public public.jsonl",
            "cabinet export /dev/stdout | gzip > shop.jsonl.gz",
        ]
    ) { invocation in
        let file = URL(filePath: try invocation.parameter(0))
        try await invocation.withDatabase { database in
            try await invocation.checkReadsAll(database)
            let export = DatabaseExport(of: database, to: file)
            let result = "Exported to \(file.relativePath.printable)"
            try await invocation.showing("Exporting", as: result, amongErrors: file.isStandardOutput) {
                try await export.run(reporting: $0)
            }
        }
    }

    static let `import` = Command(
        words: ["import"], parameters: ["FILE", "[TYPE]"],
        summary: "Add a file's schema, zones and records to the database, or rows as records of a type",
        details: """
            With TYPE, a FILE whose name ends in .csv has comma-separated values below a line of field names. Every other FILE has JSON
            objects, also in an array. Values are read by the types of their fields, as save reads them; fields that the schema lacks
            get the type that all their values fit; a text in JSON stays text. The column recordName names records; others are named by
            their row and its number. Existing records keep the fields that the file lacks. The zone of --zone is added if it does not
            exist. A mistake is reported with its line before anything is saved.

            Without TYPE, FILE is one that export has written; if it lacks lines, what it has is imported, and the exit code is 1. Existing
            records with the same names are replaced. An interrupted import continues when it is repeated, because each batch of at most 500 records stores its position in the database with it. Of an
            import into a server, the position is in the user's own files on this machine. Ctrl-C stops between two batches. Records may
            refer to later ones. A reference with a delete rule to a record that is nowhere is cleared and named, a share of another owner is passed over and
            named, and the exit code is 1. Files of assets must lie below the folder of FILE, and have the size and checksum that FILE
            names. FILE may also be an archive, as the dashboard exports it, with the file and the folder of its assets, or a pipe such
            as /dev/stdin, which is read to its end first.
            """,
        examples: [
            "cabinet import shop.jsonl --store ~/other", "cabinet import coins.csv Coin",
            "cabinet import coins.json Coin --zone Travel", "cabinet import shop.zip --store ~/other",
        ]
    ) { invocation in
        let given = URL(filePath: try invocation.parameter(0))
        if given.pathExtension.lowercased() == "ckdb" {
            throw CommandError.usage(
                "A file with this name has a schema, and no records: cabinet schema import \(given.relativePath.printable)"
            )
        }
        let file = try ImportFile(given)
        defer { withExtendedLifetime(file) {} }
        let source = file.url
        let type = invocation.arguments.parameters.count > 1 ? try invocation.parameter(1) : nil
        if type == nil, RowConversion.isTable(source) {
            throw CommandError.usage(
                "Name the type of the records: cabinet import \(given.relativePath.printable) TYPE")
        }
        if type == nil, try source.resourceValues(forKeys: [.fileSizeKey]).fileSize == 0 {
            throw CommandError.usage("\(given.relativePath.printable) is empty, which no export is. Export it again.")
        }
        Interruption.shared.awaitCommand()
        let folder = try type.map { _ in try TemporaryDirectory(for: "imports") }
        defer { withExtendedLifetime(folder) {} }
        let lines = folder?.url.appending(path: "rows.jsonl") ?? source
        try await invocation.withStore(writes: true) { container, database in
            if let type {
                let schema = try await database.schema()
                try invocation.convert(
                    RowConversion(of: source, as: type, in: schema, zoneID: invocation.zoneID), to: lines)
                if let zoneID = invocation.zoneID, zoneID != .default {
                    try await database.save(RecordZone(zoneID: zoneID))
                }
            }
            try await invocation.withImportPositions { store in
                var transfer = try await DatabaseImport(
                    of: lines, into: database, of: container, assetsIn: file.assets, positionsIn: store)
                try await invocation.showing("Importing", as: "Imported from \(given.relativePath.printable)") {
                    try await transfer.run(reporting: $0)
                }
                guard transfer.lossCount == 0 else {
                    throw CommandError(
                        .failure,
                        "Everything else is imported. Of \(transfer.lossCount.counted("record")), what is named above is "
                            + "passed over.")
                }
            }
        }
    }
}

extension Invocation {
    /// The names in a folder that are not those of other programs' files: a disk's own, and what an interrupted copy may leave.
    private static let emptyFolderNames: Set<String> = ["lost+found", "assets"]

    /// Throws if a location is a folder of other files, among which a store would get lost.
    fileprivate func checkTakesCopy(at text: String) async throws {
        guard case .folder(let folder) = try StoreLocation(text) else { return }
        if option(CLIOption.toSchema) != nil {
            throw CommandError.usage("--to-schema is for a store on a PostgreSQL server, and TO is a folder.")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let others = names.filter { !$0.hasPrefix(".") && !Self.emptyFolderNames.contains($0) }
        guard !others.isEmpty, try await SQLiteBackend(directory: folder).databases().isEmpty else { return }
        throw CommandError.usage(
            "The folder \(folder.path.printable) has other files, and no store. Copy to a new or empty folder, or to an older copy."
        )
    }

    /// Converts rows, and prints what is read in a way that the file does not say.
    fileprivate func convert(_ rows: RowConversion, to lines: URL) throws {
        var rows = rows
        try rows.run(to: lines)
        for (key, type) in rows.newFields.sorted(by: { $0.key < $1.key }) {
            console.writeError("The field '\(key.printable)' is new, and its values are read as \(type).")
        }
        let assigned = rows.ignoredNames.subtracting(rows.fieldsWithoutFiles).sorted()
        if !assigned.isEmpty {
            console.writeError("The store assigns other values than the file's: \(assigned.joined(separator: ", ")).")
        }
        let lost = rows.fieldsWithoutFiles.sorted().map(\.printable)
        if !lost.isEmpty {
            console.writeError("Assets without their files are passed over: \(lost.joined(separator: ", ")).")
        }
    }

    /// Runs a transfer and shows its progress, and then its result or, on a line of its own, its error.
    ///
    /// - Parameter amongErrors: Whether the output has the transferred lines, so that the result does not belong there.
    fileprivate func showing(
        _ activity: String, as result: String, amongErrors: Bool = false,
        _ work: ((TransferEvent) -> Void) async throws -> Void
    ) async throws {
        var meter = TransferMeter(activity, console)
        do {
            try await work { meter.show($0) }
            meter.finish(result, amongErrors: amongErrors)
        } catch {
            console.endProgress()
            throw error
        }
    }
}
