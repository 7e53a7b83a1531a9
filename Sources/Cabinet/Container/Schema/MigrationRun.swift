/// One run of a migration in a database, from the state that the database knows to the end.
struct MigrationRun: Sendable {
    private let migration: Migration
    private let database: Database
    private let progress: (@Sendable (MigrationProgress) -> Void)?

    /// The number of records of a batch.
    private static let batchSize = 200

    /// The number of times that a batch is repeated because other clients have changed its records.
    private static let maximumRepetitions = 20

    init(_ migration: Migration, in database: Database, progress: (@Sendable (MigrationProgress) -> Void)?) {
        self.migration = migration
        self.database = database
        self.progress = progress
    }

    /// Throws if a drop would lose more than its step permits, unless a step before it may empty the type or field.
    func checkLosses(isStrict: Bool) async throws {
        var changed: Set<Record.RecordType> = []
        for step in migration.steps {
            switch step.action {
            case .records(let query, _): changed.insert(query.recordType)
            case .schema(let part, .rename(let name)):
                changed.formUnion([part.recordType, part.renamed(name).recordType])
            case .schema(let part, .drop(let limit?)) where !changed.contains(part.recordType):
                let count = try await database.lossesOfDrop(part)
                try SchemaRemovalRule.check(losing: count, of: part, atMost: limit, isStrict: isStrict)
            case .schema: break
            }
        }
    }

    /// Takes the steps after a state.
    func complete(from known: MigrationState?) async throws {
        var state = known
        var repetitions = 0
        var total: (step: Int, count: Int)?
        while state?.isDone != true {
            if Task.isCancelled {
                throw CabinetError(
                    .operationCancelled, "The task was cancelled during a migration, which can go on later.")
            }
            if progress != nil, total?.step != state?.step ?? 0 {
                total = try await countRecords(state ?? MigrationState())
            }
            if let next = try await advance(state) {
                state = next
                repetitions = 0
            } else if repetitions < Self.maximumRepetitions {
                repetitions += 1
                try await pause(after: repetitions)
                state = try await database.client.perform(FetchMigrationsRequest(scope: database.databaseScope))
                    .states[migration.name]
            } else {
                throw CabinetError(
                    .serverRecordChanged,
                    "Other clients changed the records of the migration '\(migration.name)' in each of \(repetitions) attempts. "
                        + "Run it again later.")
            }
            report(state, total?.count ?? 0)
        }
    }

    /// Takes one step, or goes through one batch of records.
    ///
    /// - Returns: The state afterwards; `nil` if another client has changed a record or gone on with the migration.
    private func advance(_ known: MigrationState?) async throws -> MigrationState? {
        let state = known ?? MigrationState()
        guard migration.steps.indices.contains(state.step) else {
            throw CabinetError(
                .invalidArguments,
                "The migration '\(migration.name)' has \(migration.steps.count) steps, and the database has taken \(state.step). "
                    + "Do not change a migration that has run; append another one.")
        }
        do {
            return switch migration.steps[state.step].action {
            case .schema(let part, let change): try await take(change, of: part, known)
            case .records(let query, let body): try await goThrough(query, body, known)
            }
        } catch let error as CabinetError where error.isOfChangedRecord {
            return nil
        }
    }

    private func take(
        _ change: SchemaChange, of part: SchemaPart, _ known: MigrationState?
    ) async throws -> MigrationState {
        let next = (known ?? MigrationState()).next(of: migration.steps.count)
        var request = ChangeSchemaRequest(scopes: [database.databaseScope], part: part, change: change)
        request.step = MigrationStep(name: migration.name, before: known, after: next)
        _ = try await database.client.perform(request)
        return next
    }

    private func goThrough(
        _ query: Query, _ body: @Sendable (inout Record) async throws -> Void, _ known: MigrationState?
    ) async throws -> MigrationState {
        let state = known ?? MigrationState()
        let start = state.position > 0 ? QueryPosition(values: [], insertionNumber: state.position) : nil
        let page = try await database.page(
            of: query, inZoneWith: nil, after: start, desiredKeys: nil, resultsLimit: Self.batchSize)
        var changed: [Record] = []
        for record in page.records {
            var copy = record
            try await body(&copy)
            if copy != record { changed.append(copy) }
        }
        var next = state.next(of: migration.steps.count)
        if let position = page.cursor?.position {
            next = state
            // The known number may be damaged. The service refuses a negative one.
            next.recordCount &+= page.records.count
            next.position = position.insertionNumber
        }
        var request = ModifyRecordsRequest(scope: database.databaseScope, recordsToSave: changed)
        request.step = MigrationStep(name: migration.name, before: known, after: next)
        let results = try await database.client.modify(request).results(of: changed, [])
        try CabinetError.throwFailures(results.saveResults, results.deleteResults)
        return next
    }

    private func countRecords(_ state: MigrationState) async throws -> (step: Int, count: Int) {
        guard migration.steps.indices.contains(state.step),
            case .records(let query, _) = migration.steps[state.step].action
        else { return (state.step, 0) }
        return (state.step, try await database.count(matching: query))
    }

    private func report(_ state: MigrationState?, _ total: Int) {
        guard let progress else { return }
        let (count, state) = (migration.steps.count, state ?? MigrationState())
        progress(
            MigrationProgress(
                migration: migration.name, databaseScope: database.databaseScope,
                completedSteps: state.isDone ? count : state.step, totalSteps: count,
                completedRecords: state.recordCount, totalRecords: state.isDone || state.recordCount == 0 ? 0 : total))
    }

    private func pause(after repetition: Int) async throws {
        // Two programs that conflict do not meet again.
        try? await Task.sleep(for: .microseconds(Int.random(in: 0...(1_000 << min(repetition, 6)))))
    }
}

extension CabinetError {
    /// Whether a record was changed or deleted, or a migration has gone on, since the request was prepared.
    fileprivate var isOfChangedRecord: Bool {
        if code == .serverRecordChanged { return true }
        let errors = partialErrorsByItemID.values.filter { $0.code != .batchRequestFailed }
        return !errors.isEmpty && errors.allSatisfy { [.serverRecordChanged, .unknownItem].contains($0.code) }
    }
}
