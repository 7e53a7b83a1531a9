extension ChangeHistory {
    /// The pause after a read during which more commits arrived.
    ///
    /// The commits of that time are read as one change set, so that observers do not slow down writers. A live query is late by at most
    /// the pause and a read; a commit that arrives after the last read has ended is read at once.
    static let pause = Duration.milliseconds(10)

    /// A signal that is received sooner than this was sent before it was awaited.
    private static let burstThreshold = Duration.microseconds(10)

    /// Starts the task that reads the changes of the database whenever the backend signals.
    ///
    /// The task ends when the backend is closed, or the history is finished or deallocated.
    func follow(_ backend: any StorageBackend) {
        let task = OwnTasks.start { [weak self, database] in
            // The stream is created before the first read, so that no change between the two is lost.
            let signals = backend.changeSignals(of: database)
            var known = await self?.extend(after: nil, from: backend)
            var start = ContinuousClock.now
            for await _ in signals {
                // A test that decides the order of jobs has no time.
                let isBurst = OwnTasks.executor == nil && ContinuousClock.now - start < Self.burstThreshold
                let last = known
                if isBurst { try? await Task.sleep(for: Self.pause) }
                known = await self?.extend(after: last, from: backend)
                start = .now
            }
            self?.finish()
        }
        hold(task)
    }

    /// Adds the changes after a version of the database.
    ///
    /// - Returns: The version up to which the history reaches; `nil` if it is unknown because the read has failed.
    private func extend(after known: DatabaseVersion?, from backend: any StorageBackend) async -> DatabaseVersion? {
        do {
            let set = try await Self.retryingWhileBusy {
                try await backend.read(database) { try await ChangeSet.read(after: known, in: $0) }
            }
            if set.version != known { append(set) }
            return set.version
        } catch CabinetError.Code.serviceUnavailable {
            // The backend was closed, so that its signals end; otherwise another signal follows.
            return nil
        } catch {
            // Each live query loads its result again, and throws the error if it persists.
            reset()
            return nil
        }
    }

    /// Runs a closure, and retries while another program locks the store.
    static func retryingWhileBusy<Output>(_ body: () async throws -> Output) async throws -> Output {
        while true {
            do {
                return try await body()
            } catch CabinetError.Code.zoneBusy {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
