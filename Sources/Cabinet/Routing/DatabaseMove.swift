/// Moves a database from one store to another.
///
/// ```
/// directory        old store           new store
/// moving to new    used                copied, compared, brought up to date
///                  marked: left
///                                      the last changes
///                                      marked: arrived
/// home is new
///                  emptied
/// ```
///
/// The move happens when the directory is told, if it still says what it said in the beginning: before, the database lives in the old
/// store, and afterwards in the new one. Every step looks at what it finds, so that it does not matter who has made those before it.
struct DatabaseMove: Sendable {
    private let database: DatabaseKey
    private let home: DatabaseHome
    private let name: String
    private let homes: DatabaseHomes
    private let source: any StorageBackend
    private let target: any StorageBackend
    private let copy: DatabaseCopy

    /// A pass that has copied fewer changes is followed by the last one.
    private static let smallPass = 100
    /// If writers are as fast as the copy, it stops following them after so many passes.
    private static let maximumPasses = 20
    /// After so many times in others' way, it gives up.
    private static let maximumAttempts = 30

    init(
        _ database: DatabaseKey, _ home: DatabaseHome, to name: String, _ homes: DatabaseHomes,
        _ progress: (@Sendable (CopyProgress) -> Void)?
    ) throws {
        (self.database, self.home, self.name, self.homes) = (database, home, name, homes)
        source = try homes.backend(home.name)
        target = try homes.backend(name)
        copy = DatabaseCopy(of: database, from: source, to: target, progress: progress)
    }

    func run() async throws -> MoveReport {
        var report = MoveReport()
        if try await !hasArrived() {
            try await prepareTarget(&report)
            try await follow(&report)
            try await copy.prepareEnding()
            try await follow(&report)
            let begin = ContinuousClock.now
            try await leave()
            try await end(&report)
            try await tellDirectory()
            report.pause = ContinuousClock.now - begin
        } else {
            try await tellDirectory()
        }
        try await Self.removeRemainders(of: database, homes)
        return report
    }

    // MARK: Steps

    /// Whether an earlier attempt has done everything but tell the directory.
    private func hasArrived() async throws -> Bool {
        let left = try await source.read(database) { try await RouteMark.read(from: $0) }
        let arrived = try await target.read(database) { try await RouteMark.read(from: $0) }
        return left?.kind == .left && left?.generation == home.generation
            && arrived?.kind == .arrived && arrived?.generation == home.generation
    }

    /// Makes the first pass; if something else is in the way that an earlier move has left, it is removed before.
    private func prepareTarget(_ report: inout MoveReport) async throws {
        let found = try await DatabaseRemainder(database, in: target)
        do {
            report.copied.add(try await copy.catchUp())
        } catch CabinetError.Code.invalidArguments where found.isRemainder {
            // Read after the remainder: if the database lived there by now, the remainder would have changed.
            guard try await homes.currentHome(of: database) == home, found.isUseless(to: home) else {
                throw Self.overtaken(database)
            }
            try await found.remove(toCopyFrom: source)
            report.copied.add(try await copy.catchUp())
        }
    }

    /// Brings the target up to date until little is left.
    private func follow(_ report: inout MoveReport) async throws {
        for _ in 0..<Self.maximumPasses {
            let counts = try await copy.catchUp()
            report.copied.add(counts)
            if counts.changeCount <= Self.smallPass { return }
        }
    }

    /// Lets nobody write to the old store any more.
    private func leave() async throws {
        try await source.write(database) { [home] transaction in
            if let mark = try await RouteMark.read(from: transaction), mark.generation >= home.generation { return }
            try await RouteMark(kind: .left, generation: home.generation).write(to: transaction)
        }
    }

    /// Makes the last pass, and notes that everything is in the new store.
    ///
    /// Nobody can write until that is done. So if several calls make the same move, and each is in the others' way, they try again
    /// until one of them has done it.
    private func end(_ report: inout MoveReport) async throws {
        for attempt in 1... {
            do {
                report.copied.add(try await copy.end())
                return try await arrive()
            } catch CabinetError.Code.serverRejectedRequest where attempt < Self.maximumAttempts {
                if try await hasArrived() { return }
                guard try await homes.currentHome(of: database) == home else { throw Self.overtaken(database) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...attempt * 5)))
            }
        }
    }

    /// Notes that everything is in the new store.
    private func arrive() async throws {
        try await target.write(database) { [home, database] transaction in
            guard let note = try await CopyNote.read(from: transaction), note.isReady else {
                throw Self.overtaken(database)
            }
            try await note.check(in: transaction)
            try await RouteMark(kind: .arrived, generation: home.generation).write(to: transaction)
        }
    }

    /// Makes the new store the home.
    private func tellDirectory() async throws {
        let new = DatabaseHome(name: name, generation: home.generation + 1)
        let found: DatabaseHome
        do {
            found = try await homes.directory.replace(home, with: new, of: database)
        } catch {
            // The answer may have been lost.
            guard let current = try? await homes.currentHome(of: database), current == new else { throw error }
            return
        }
        homes.note(found, of: database)
        guard found == new else { throw Self.overtaken(database) }
    }

    static func overtaken(_ database: DatabaseKey) -> CabinetError {
        CabinetError(
            .serverRejectedRequest,
            "Another call has moved \(database), or has undone the move. Look where it lives, and call again if need be."
        )
    }
}

extension DatabaseMove {
    /// Undoes a move that was interrupted, and removes what moves have left in other stores.
    static func settle(_ database: DatabaseKey, _ home: DatabaseHome, _ homes: DatabaseHomes) async throws -> MoveReport
    {
        if home.target != nil {
            // A mark in the old store is of the generation before.
            let new = DatabaseHome(name: home.name, generation: home.generation + 1)
            let found = try await homes.directory.replace(home, with: new, of: database)
            homes.note(found, of: database)
            guard found == new else { throw overtaken(database) }
        }
        try await removeRemainders(of: database, homes)
        return MoveReport()
    }

    /// Removes what is left of a database in stores that it does not live in.
    private static func removeRemainders(of database: DatabaseKey, _ homes: DatabaseHomes) async throws {
        for name in homes.backends.keys.sorted() {
            let store = try homes.backend(name)
            let found = try await DatabaseRemainder(database, in: store)
            guard found.isRemainder, !found.isEmpty else { continue }
            // Read after the remainder: if the database lived there by now, the remainder would have changed.
            guard let home = try await homes.currentHome(of: database), home.name != name, home.target != name,
                found.isUseless(to: home)
            else { continue }
            try await found.remove(toCopyFrom: homes.backend(home.name))
        }
    }
}
