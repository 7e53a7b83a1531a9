import BenchmarkBaseline
import Foundation

/// All figures, for programs.
///
/// The article "Performance" describes the fields.
struct JSONReport: Codable {
    struct Table: Codable {
        var suite: String
        var count: Int
        var stores: Int
        var turns: Int
        var lines: [Line]
    }

    struct Line: Codable {
        var id: String
        var title: String
        var unit: String
        var group: String
        /// The unit of the figures: `seconds`, `bytes`, `count` or `perSecond`.
        var kind: SideFigure.Unit
        var processor: Comparison?
        var wall: Comparison?
        /// An additional figure, which has no times.
        var figure: Comparison?
        /// Cabinet's processor time relative to its wall time.
        var processorShare: Double?
        /// Whether the run fails if the share is too large.
        var isGated: Bool
        var goal: Double?
        var limit: Double?
        var isMet: Bool?
    }

    struct Comparison: Codable {
        /// For each competitor, one for each round.
        var values: [String: [Double]]
        var medians: [String: Double]
        /// Cabinet's median relative to that of each of the others.
        var ratios: [String: Double]
    }

    var processors: Int
    var system: String
    var sqlite: String
    var tables: [Table]

    init(results: [Results]) {
        processors = ProcessInfo.processInfo.activeProcessorCount
        system = ProcessInfo.processInfo.operatingSystemVersionString
        sqlite = String(cString: baseline_version())
        tables = results.map { results in
            Table(
                suite: results.suite.id, count: results.count, stores: results.fills, turns: results.turns,
                lines: results.lines.map { Line($0, of: results.suite) })
        }
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try encoder.encode(self).write(to: file)
    }
}

extension JSONReport.Line {
    init(_ line: ResultLine, of suite: Suite) {
        id = line.id
        title = line.title
        unit = line.unit
        group = line.group.rawValue
        kind = line.kind
        let first = JSONReport.Comparison(line.figures, of: suite)
        wall = line.wall.map { JSONReport.Comparison($0, of: suite) }
        (processor, figure) = wall == nil ? (nil, first) : (first, nil)
        processorShare = line.processorShare(of: suite.own)
        isGated = line.isGated
        goal = line.goal
        limit = line.limit
        isMet = suite.references.last.flatMap { line.isMet(by: suite.own, against: $0) }
    }
}

extension JSONReport.Comparison {
    init(_ figures: Figures, of suite: Suite) {
        func named<Value>(_ values: [Competition: Value]) -> [String: Value] {
            Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
        }
        values = named(figures.values)
        medians = named(figures.values.mapValues(\.median))
        let ratios = suite.references.map { ($0, figures.ratio(of: suite.own, to: $0)) }
        self.ratios = named(Dictionary(uniqueKeysWithValues: ratios).compactMapValues(\.self))
    }
}
