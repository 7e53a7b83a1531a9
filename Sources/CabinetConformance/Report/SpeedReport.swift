import Cabinet
import Foundation

/// The speed of a backend, in figures without a verdict.
///
/// ```swift
/// let report = try await SpeedReport.measure(
///     records: 2000, on: .inDirectories { MyBackend(directory: $0) })
/// print(report)
/// ```
///
/// Compare figures only with others of the same machine and build. An optimized build is several times as fast.
public struct SpeedReport: Sendable, Hashable {
    /// The number of repetitions of an operation, and the time that they took.
    public struct Figure: Sendable, Hashable {
        /// The name of the operation and its unit: `records saved one by one`.
        public let name: String

        /// The number of repetitions.
        public let count: Int

        /// The time of all repetitions.
        public let duration: Duration

        /// The number of repetitions per second.
        public var perSecond: Double {
            let (seconds, attoseconds) = duration.components
            let time = Double(seconds) + Double(attoseconds) / 1e18
            return time > 0 ? Double(count) / time : .infinity
        }
    }

    /// The figures, in the order in which they were measured.
    public let figures: [Figure]

    /// Measures a backend.
    ///
    /// - Parameters:
    ///   - records: The number of records to work with; at least 10.
    ///   - subject: The stores to measure. One new store is created, and removed afterwards.
    /// - Throws: Errors of the backend, and ``ConformanceFailure`` if a saved record is not found.
    public static func measure(records: Int = 1000, on subject: ConformanceSubject) async throws -> SpeedReport {
        var report: SpeedReport?
        try await subject.withStore { open, _, _, _ in
            let backend = try await open()
            do {
                report = try await measure(records: records, backend)
            } catch {
                await backend.close()
                throw error
            }
            await backend.close()
        }
        return try require(report, "The figures")
    }

    /// Measures an empty backend.
    static func measure(records: Int, _ backend: any StorageBackend) async throws -> SpeedReport {
        let measurement = SpeedMeasurement(
            database: try Container(
                identifier: "com.example.speed", backend: backend, account: ConformanceWorld.account
            ).privateDatabase, count: max(records, 10))
        try await measurement.save()
        try await measurement.read()
        try await measurement.query()
        try await measurement.follow()
        return SpeedReport(figures: measurement.figures)
    }
}

extension SpeedReport: CustomStringConvertible {
    /// A table of operations, with their number, their time in milliseconds, and their number per second.
    public var description: String {
        let rows = figures.map { figure in
            let milliseconds = figure.perSecond > 0 ? Double(figure.count) / figure.perSecond * 1000 : 0
            return [
                figure.name, "\(figure.count)", String(format: "%.1f", milliseconds),
                figure.perSecond.isFinite ? String(format: "%.0f", figure.perSecond) : "-",
            ]
        }
        return TextTable.lines(of: [["What", "number", "ms", "per second"]] + rows).joined(separator: "\n")
    }
}

extension ConformanceRule {
    /// Returns a rule that measures a backend and reports the figures.
    ///
    /// No figure makes the rule fail.
    ///
    /// ```swift
    /// let rule = ConformanceRule.speed(records: 2000) { print($0) }
    /// try await rule.run { MyBackend() }
    /// ```
    ///
    /// - Parameters:
    ///   - records: The number of records to work with; at least 10.
    ///   - report: Called with the figures, once.
    public static func speed(
        records: Int = 1000, _ report: @escaping @Sendable (SpeedReport) -> Void
    ) -> ConformanceRule {
        ConformanceRule(
            .conveniences, "the speed is measured with \(max(records, 10)) records",
            law: "The saved records are found; the speed does not matter.", source: .cabinet("performance")
        ) { world in
            report(try await SpeedReport.measure(records: records, world.backend))
        }
    }
}
