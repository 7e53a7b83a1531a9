import Cabinet

/// Verifies the databases of a store one after the other, and repairs them.
struct StoreVerifier {
    let backend: any StorageBackend
    /// The databases to verify if the store cannot list them.
    let known: [DatabaseKey]
    let progress: (@Sendable (VerificationProgress) -> Void)?

    /// The failures that say nothing about the store's content.
    private static let interruptions: Set<CabinetError.Code> = [
        .serviceUnavailable, .operationCancelled, .zoneBusy, .quotaExceeded, .permissionFailure, .networkFailure,
        .networkUnavailable, .serverResponseLost,
    ]

    /// Rethrows an error that is not a finding: the verification cannot continue.
    static func rethrowInterruption(_ error: any Error) throws {
        if error is CancellationError { throw error }
        if let error = error as? CabinetError, interruptions.contains(error.code) { throw error }
    }

    func run(repairing: Bool) async throws -> VerificationReport {
        var report = VerificationReport()
        let databases = try await databases()
        for (position, database) in databases.enumerated() {
            let handler: @Sendable (VerificationReport.Counts) -> Void = { [progress] counts in
                progress?(
                    VerificationProgress(
                        database: database, completedDatabases: position, totalDatabases: databases.count,
                        counts: counts))
            }
            try await verify(database, repairing: repairing, progress: handler, into: &report)
        }
        return report
    }

    private func databases() async throws -> [DatabaseKey] {
        guard let listing = backend.abilities.databases else { return known }
        return try await listing.databases().sorted { "\($0)" < "\($1)" }
    }

    private func verify(
        _ database: DatabaseKey, repairing: Bool, progress: @escaping @Sendable (VerificationReport.Counts) -> Void,
        into report: inout VerificationReport
    ) async throws {
        let first = try await outcome(database, progress)
        report.counts += first.counts
        report.refusals[database] = first.refusal
        var findings = first.issues.map { VerificationFinding($0, in: database) }
        var omittedCount = first.omittedCount
        if repairing, first.isReadable {
            // A repair would remove the assets of a field that the schema lacks, and all that finds its records.
            if findings.contains(where: { $0.kind == .schema && !$0.isRepairable }) {
                report.findings += findings
                report.omittedCount += omittedCount
                return
            }
            if findings.contains(where: \.isRepairable) {
                do {
                    try await backend.abilities.maintenance?.rebuildIndexes(of: database)
                    try await backend.write(database) { try await StoreRepair(transaction: $0).run() }
                } catch {
                    if error.refusal == nil { try Self.rethrowInterruption(error) }
                    let issue = IntegrityIssue(
                        .repair, "The repair failed, and has changed nothing. \(error.sentence)")
                    findings.append(VerificationFinding(issue, in: database))
                }
                let second = try await outcome(database, progress)
                let remaining = Set(second.issues.map(IssueIdentity.init))
                let before = Set(findings.map { IssueIdentity($0.issue) })
                for position in findings.indices where findings[position].kind != .repair {
                    findings[position].isRepaired = !remaining.contains(IssueIdentity(findings[position].issue))
                }
                // A repair can reveal further findings, and only the first of many were listed.
                findings += second.issues.filter { !before.contains(IssueIdentity($0)) }
                    .map { VerificationFinding($0, in: database) }
                omittedCount = second.omittedCount
            }
            do {
                report.removedFileCount +=
                    try await backend.abilities.assets?.removeAbandonedAssets(from: database) ?? 0
            } catch let error where error.refusal != nil {
                report.refusals[database] = error.refusal
            } catch {
                try Self.rethrowInterruption(error)
                let issue = IntegrityIssue(.repair, "Leftover files of assets could not be removed. \(error.sentence)")
                findings.append(VerificationFinding(issue, in: database))
            }
        }
        report.findings += findings
        report.omittedCount += omittedCount
    }

    /// Finds the issues below the seam.
    private func issues(in database: DatabaseKey) async throws -> [IntegrityIssue] {
        do {
            return try await backend.abilities.maintenance?.issues(in: database, limit: IssueCollector.limit) ?? []
        } catch {
            try Self.rethrowInterruption(error)
            return [IntegrityIssue(.unreadable, "The store's own structure cannot be read. \(error.sentence)")]
        }
    }

    /// Verifies a database: its records in one snapshot, and then the bytes of its assets.
    private func outcome(
        _ database: DatabaseKey, _ progress: @escaping @Sendable (VerificationReport.Counts) -> Void
    ) async throws -> DatabaseVerification.Outcome {
        var outcome: DatabaseVerification.Outcome
        do {
            let issues = try await issues(in: database)
            outcome = try await backend.read(database) { snapshot in
                try await DatabaseVerification(snapshot, issues: issues, progress: progress).run()
            }
        } catch {
            if let refusal = error.refusal { return DatabaseVerification.Outcome(refusal: refusal) }
            try Self.rethrowInterruption(error)
            let collector = IssueCollector()
            collector.add(IntegrityIssue(.unreadable, error.sentence))
            var counts = VerificationReport.Counts()
            counts.databases = 1
            return DatabaseVerification.Outcome(counts: counts, collector, isReadable: false)
        }
        if !outcome.isReadable { return outcome }
        var assets = AssetVerification(
            backend: backend, database: database, collector: IssueCollector(), counts: outcome.counts,
            progress: progress)
        do {
            try await assets.run()
        } catch let error where error.refusal != nil {
            outcome.refusal = error.refusal
        }
        outcome.counts = assets.counts
        outcome.add(assets.collector)
        return outcome
    }
}

extension Error {
    /// The message of an error that is not damage: this user may not do something, or the database is of a newer version or of
    /// another program.
    fileprivate var refusal: String? {
        guard let error = self as? CabinetError,
            [.permissionFailure, .incompatibleVersion, .badContainer].contains(error.code)
        else { return nil }
        return error.message
    }
}

/// The identity of a finding, regardless of the numbers in its message.
private struct IssueIdentity: Hashable {
    private let issue: IntegrityIssue
    private let message: String?

    init(_ issue: IntegrityIssue) {
        // A finding that names no item is identified by its message alone.
        let isNamed =
            issue.recordType != nil || issue.recordID != nil || issue.zoneID != nil || issue.checksum != nil
        message = isNamed ? nil : issue.message
        self.issue = IntegrityIssue(
            issue.kind, "", recordType: issue.recordType, recordID: issue.recordID, zoneID: issue.zoneID,
            fieldKey: issue.fieldKey, index: issue.index, checksum: issue.checksum)
    }
}
