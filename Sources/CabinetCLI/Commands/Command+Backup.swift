import Cabinet
import CabinetTools
import CabinetSQLite
import Foundation
import TerminalProgram

extension Command {
    static let backup = Command(
        words: ["backup"], parameters: ["TO"], summary: "Copy the store's folder while programs use it",
        details: """
            TO is the name of a new folder; missing folders above it are created. Each database is copied as it is at one instant, with its assets, for all users. Change tokens
            and change tags stay valid after a restore, unless they are of later changes. A store on a server is backed up with the
            server's pg_dump, or copied into a folder with copy.
            """,
        examples: ["cabinet backup ~/backups/shop-monday --store ~/shop"]
    ) { invocation in
        let target = URL(filePath: try invocation.parameter(0), directoryHint: .isDirectory)
        let folder = try invocation.folder(orElse: "Use pg_dump, or copy it into a folder: cabinet copy FOLDER")
        let count = try await invocation.copyFiles(of: folder, to: target, showing: "Backing up")
        invocation.console.write("\(count.counted("database is", "databases are")) backed up to \(target.path).")
    }

    static let restore = Command(
        words: ["restore"], parameters: ["FROM"], options: [CLIOption.replace],
        summary: "Replace the store's folder by a backup",
        details: """
            Stop the programs that use the store; those that go on get errors, and lose no data. With --replace, the old folder is kept
            beside the new one, and its name is printed. Tokens and tags of changes that the backup lacks expire. A mount point cannot be
            replaced: restore into a folder inside it.
            """,
        examples: ["cabinet restore ~/backups/shop-monday --store ~/shop --replace"]
    ) { invocation in
        let source = URL(filePath: try invocation.parameter(0), directoryHint: .isDirectory)
        let folder = try invocation.folder(
            orElse: "Use psql or pg_restore, or copy the folder into an empty schema: cabinet copy", mustExist: false)
        let databases = try await SQLiteBackend(directory: source).databases()
        guard !databases.isEmpty else {
            throw CommandError(.notFound, "There is no backup in \(source.path.printable).")
        }
        try await invocation.replace(folder) { new in
            _ = try await invocation.copyFiles(of: source, to: new, showing: "Restoring")
        }
        let restored = databases.count.counted("database is", "databases are")
        invocation.console.write("\(restored) restored to \(folder.path).")
    }

    static let compact = Command(
        words: ["compact"], summary: "Return the space of deleted records and unused assets to the disk",
        details: """
            Readers go on, and writers wait. No record, token or tag changes. It needs as much of the disk as the largest database.
            In a store on a server, only unused assets are removed. Their space and that of deleted records is used again after
            PostgreSQL's autovacuum; VACUUM FULL, which excludes readers and writers, returns it to the disk.
            """,
        examples: ["cabinet compact --store ~/shop"]
    ) { invocation in
        let folder = try? invocation.folder(orElse: "")
        try await invocation.withBackend { _, backend in
            let files = folder.map { SQLiteBackend(directory: $0) }
            var rows: [[JSONValue]] = []
            let listing = try await backend.abilities.databases?.databases() ?? []
            for database in listing.sorted(by: { $0.description < $1.description }) {
                let assets = try await backend.abilities.assets?.removeAbandonedAssets(from: database) ?? 0
                let sizes = try await files?.compact(database)
                rows.append([
                    .string("\(database)"), sizes.map { .integer($0.before) } ?? .null,
                    sizes.map { .integer($0.after) } ?? .null, .integer(Int64(assets)),
                ])
            }
            await files?.close()
            try invocation.write(["database", "before", "after", "removedAssets"], rows)
            if files == nil {
                invocation.console.writeError(
                    "Only unused assets were removed. PostgreSQL's autovacuum lets their space be used again, and VACUUM FULL "
                        + "returns it to the disk."
                )
            }
        }
    }
}

extension Invocation {
    /// Replaces a store's folder, which keeps its content under another name.
    ///
    /// - Parameter make: Makes the new folder at a location. It is complete before the old folder moves, so that a failure leaves
    ///   the old store.
    func replace(_ store: URL, by make: (URL) async throws -> Void) async throws {
        let files = FileManager.default
        let exists = files.fileExists(atPath: store.path)
        guard !exists || hasFlag(CLIOption.replace) else {
            throw CommandError(.conflict, "The store \(store.path.printable) exists. To replace it: --replace")
        }
        let folder = try store.replaceableFolder()
        // Only what lies in a folder of this command is removed.
        let own = files.unusedName(for: folder.appendingPathExtension("new"))
        try Disk.createFolder(at: folder.deletingLastPathComponent())
        try files.createDirectory(at: own, withIntermediateDirectories: false)
        defer { try? files.removeItem(at: own) }
        let new = own.appending(path: folder.lastPathComponent, directoryHint: .isDirectory)
        try await make(new)
        if exists {
            let old = files.unusedName(for: folder.appendingPathExtension("replaced"))
            try folder.move(to: old)
            do {
                try new.move(to: folder)
            } catch {
                try old.move(to: folder)
                throw error
            }
            console.write("The old store is in \(old.path).")
        } else {
            try new.move(to: folder)
        }
        let parent = folder.deletingLastPathComponent().path
        try Disk.synchronize(folder: parent, skipsUnreadable: true) { number in
            let reason = String(cString: strerror(number))
            return CommandError(
                .failure, "The new store is in place, but \(parent.printable) cannot be synchronized: \(reason).")
        }
    }

    /// Copies a folder of databases, and returns their number.
    fileprivate func copyFiles(of source: URL, to target: URL, showing activity: String) async throws -> Int {
        let backend = SQLiteBackend(directory: source)
        do {
            return try await closing(backend.close) {
                // The backend needs the folder above the new one.
                try Disk.createFolder(at: target.deletingLastPathComponent())
                return try await console.showing(activity) { try await backend.backUp(to: target) }.count
            }
        } catch {
            throw CommandError(describing: error)
        }
    }
}

extension FileManager {
    /// Returns a name that no file has: the given one, or with a number.
    fileprivate func unusedName(for file: URL) -> URL {
        var name = file
        var number = 2
        // A link that leads to nothing has the name, too.
        while (try? attributesOfItem(atPath: name.path)) != nil {
            name = file.deletingLastPathComponent().appending(path: "\(file.lastPathComponent)-\(number)")
            number += 1
        }
        return name
    }
}

extension URL {
    /// Returns the absolute path of the folder that links lead to, which may be missing.
    ///
    /// - Throws: An error if the folder cannot be renamed.
    fileprivate func replaceableFolder() throws(CommandError) -> URL {
        guard let resolved = realpath(path, nil) else {
            guard (try? FileManager.default.attributesOfItem(atPath: path)) == nil else {
                throw .usage("The store \(path.printable) is a link that leads to nothing. Name the folder itself.")
            }
            return URL(filePath: absoluteURL.standardizedFileURL.path, directoryHint: .isDirectory)
        }
        defer { free(resolved) }
        let folder = URL(filePath: String(cString: resolved), directoryHint: .isDirectory)
        var (status, parent) = (stat(), stat())
        guard stat(folder.path, &status) == 0, stat(folder.deletingLastPathComponent().path, &parent) == 0,
            status.st_dev == parent.st_dev, status.st_ino != parent.st_ino
        else {
            throw .usage(
                "The store \(path.printable) is a mount point, which cannot be replaced. Use a folder inside it as the store."
            )
        }
        return folder
    }

    /// Renames a folder; unlike `FileManager`, without a copy on another disk.
    fileprivate func move(to target: URL) throws(CommandError) {
        guard rename(path, target.path) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw CommandError(
            .failure, "The folder \(path.printable) cannot be moved to \(target.path.printable): \(reason).")
    }
}
