extension LocalDatabaseService {
    func verify(
        repairing: Bool, progress: (@Sendable (VerificationProgress) -> Void)?
    ) async throws -> VerificationReport {
        var known: [DatabaseKey] = [.public]
        if let user = userRecordName { known += [.private(owner: user), .shared(owner: user)] }
        return try await StoreVerifier(backend: backend, known: known, progress: progress).run(repairing: repairing)
    }
}
