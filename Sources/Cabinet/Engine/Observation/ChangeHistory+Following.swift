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
        // The stream is created before a reader can read, so that no change between the two is lost.
        let signals = backend.changeSignals(of: database)
        let task = OwnTasks.start { [weak self] in
            var start = ContinuousClock.now
            for await _ in signals {
                // A test that decides the order of jobs has no time.
                let isBurst = OwnTasks.executor == nil && ContinuousClock.now - start < Self.burstThreshold
                if isBurst { try? await Task.sleep(for: Self.pause) }
                await self?.extend(from: backend)
                start = .now
            }
            self?.finish()
        }
        hold(task)
    }

    /// Adds the changes since the last read, if a live query reads them, and signals.
    private func extend(from backend: any StorageBackend) async {
        guard let known = receiveSignal() else { return signal() }
        while !Task.isCancelled {
            do {
                let set = try await backend.read(database) { try await ChangeSet.read(after: known, in: $0) }
                if set.version != known { append(set) }
                return
            } catch CabinetError.Code.zoneBusy {
                try? await Task.sleep(for: .milliseconds(100))
            } catch {
                // Each live query reads the changes itself, and throws the error if it persists.
                return reset()
            }
        }
    }
}
