import Cabinet
import Foundation

/// How fast a backend is: figures, without a judgement.
///
/// ```swift
/// let report = try await SpeedReport.measure(records: 2000, on: .inDirectories { MyBackend(directory: $0) })
/// print(report)
/// ```
///
/// Figures are worth something beside others of the same machine and build. An optimized build is several times as fast.
public struct SpeedReport: Sendable, Hashable {
    /// How often something was done, and how long it took.
    public struct Figure: Sendable, Hashable {
        /// What was done, and what is counted: `records saved one by one`.
        public let name: String

        /// How many were done.
        public let count: Int

        /// How long all of them took.
        public let duration: Duration

        /// How many are done in a second.
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
    ///   - records: How many records to work with; at least 10.
    ///   - subject: What to measure. It is given one new store, which is removed afterwards.
    /// - Throws: What the backend throws, and ``ConformanceFailure`` if it does not find what was saved.
    public static func measure(records: Int = 1000, on subject: ConformanceSubject) async throws -> SpeedReport {
        var report: SpeedReport?
        try await subject.withStore { open, _, _ in
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

    /// Measures a backend that has no records yet.
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
    /// A table: what was done, how many, in how many milliseconds, and how many in a second.
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
    /// A rule that measures a backend and hands over the figures; no figure breaks it.
    ///
    /// ```swift
    /// try await ConformanceRule.speed(records: 2000) { print($0) }.run { MyBackend() }
    /// ```
    ///
    /// - Parameters:
    ///   - records: How many records to work with; at least 10.
    ///   - report: Called with the figures, once.
    public static func speed(
        records: Int = 1000, _ report: @escaping @Sendable (SpeedReport) -> Void
    ) -> ConformanceRule {
        ConformanceRule(
            .conveniences, "the speed is measured with \(max(records, 10)) records",
            law: "What was saved is found, however long it takes.", source: .cabinet("performance")
        ) { world in
            report(try await SpeedReport.measure(records: records, world.backend))
        }
    }
}
