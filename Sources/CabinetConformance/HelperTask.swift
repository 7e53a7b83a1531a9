import Cabinet

/// A task for a second process that uses the same store.
struct HelperTask: LosslessStringConvertible {
    /// Performs a task in a second process, and returns what the process printed.
    typealias Run = @Sendable (_ task: String) async throws -> String

    /// The actions of a process on the store.
    enum Kind: String {
        /// Saves a number of records, and counts them in the record `counter`.
        case save
        /// Makes the calls of a ``SavedStory`` until the process kills itself, some moments after a number of calls.
        case untilKilled
        /// Makes the calls of a ``SavedStory``, at most a number of them, until a file cannot grow, and one more after that.
        case untilFull
    }

    /// The result of a task.
    enum Outcome: String {
        /// All calls returned.
        case saved
        /// The store cannot be opened while another process has it open.
        case refused
        /// A call failed because a file could not grow.
        case full
    }

    let kind: Kind

    /// The prefix of the names of the records to save; letters alone.
    let prefix: String

    /// The number of records to save, or of calls to make.
    let count: Int

    init(_ kind: Kind = .save, saving count: Int, prefix: String) {
        self.kind = kind
        self.prefix = prefix
        self.count = count
    }

    init?(_ description: String) {
        let parts = description.split(separator: "-")
        guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])), let count = Int(parts[2]) else {
            return nil
        }
        self.init(kind, saving: count, prefix: String(parts[1]))
    }

    var description: String { "\(kind.rawValue)-\(prefix)-\(count)" }

    /// Opens a store, and performs the task on it.
    ///
    /// - Parameters:
    ///   - report: Receives the number of each call of a story that has returned, before the next call begins.
    ///   - open: Opens the store.
    func perform(
        reporting report: (Int) -> Void = { _ in }, opening open: () async throws -> any StorageBackend
    ) async throws -> Outcome {
        let backend: any StorageBackend
        do {
            backend = try await open()
        } catch CabinetError.Code.zoneBusy {
            return .refused
        }
        do {
            // A backend may open its store on first use.
            _ = try await backend.read(.public) { try await $0.schema() }
        } catch CabinetError.Code.zoneBusy {
            await backend.close()
            return .refused
        }
        let container = try Container(
            identifier: "com.example.conformance", backend: backend, account: ConformanceWorld.account)
        let outcome: Outcome
        do {
            outcome = try await perform(in: container.privateDatabase, reporting: report)
        } catch {
            await backend.close()
            throw error
        }
        await backend.close()
        return outcome
    }

    private func perform(in database: Database, reporting report: (Int) -> Void) async throws -> Outcome {
        let story = SavedStory(prefix: prefix)
        switch kind {
        case .save:
            try await perform(in: database)
            return .saved
        case .untilKilled:
            for call in 0... {
                if call == count { HelperProcess.killSoon() }
                try await story.perform(call, in: database)
                report(call)
            }
            return .saved
        case .untilFull:
            HelperProcess.limitFiles(to: 600_000)
            for call in 0..<count {
                do {
                    try await story.perform(call, in: database)
                    report(call)
                } catch {
                    try await story.check(database, after: call)
                    HelperProcess.limitFiles(to: nil)
                    // The store works again as soon as there is room, or refuses every write until it is opened again.
                    if (try? await story.perform(call, in: database)) != nil { report(call) }
                    return .full
                }
            }
            return .saved
        }
    }

    /// Saves the records, each with a field of its own, and counts them.
    func perform(in database: Database) async throws {
        for number in 0..<count {
            try await database.save(Record("Items", "\(prefix)\(number)", ["\(prefix)\(number)": number]))
            try await database.addOne("counter")
        }
    }
}
