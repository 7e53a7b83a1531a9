/// The figures of one suite at one size.
struct Results {
    let suite: Suite
    let rows: [Row]
    let count: Int
    let fills: Int
    let turns: Int
    /// The access paths of the rows' queries in Cabinet.
    var explanations: [String: String] = [:]
    private(set) var outcomes: [String: [Competition: [Outcome]]] = [:]

    init(suite: Suite, rows: [Row], count: Int, fills: Int, turns: Int) {
        self.suite = suite
        self.rows = rows
        self.count = count
        self.fills = fills
        self.turns = turns
    }

    mutating func add(_ outcome: Outcome, of row: Row, for competition: Competition) {
        outcomes[row.id, default: [:]][competition, default: []].append(outcome)
    }

    /// The compared figures, one line each: the time of each row, its additional figures, and the total size of each
    /// competitor.
    var lines: [ResultLine] { rowLines + (suite.showsPeak ? [peak] : []) }

    private var peak: ResultLine {
        var peaks: [Competition: Double] = [:]
        for outcomes in outcomes.values {
            for (competition, outcomes) in outcomes {
                peaks[competition] = max(peaks[competition] ?? 0, outcomes.map(\.peak).max() ?? 0)
            }
        }
        return ResultLine(
            id: "peak", title: "most memory of the process in all rows", unit: "", group: .own, metric: nil,
            kind: .bytes,
            goal: nil, limit: nil, isHeadline: false, values: peaks.mapValues { [$0] }, wall: [:], cpu: [:])
    }

    private var rowLines: [ResultLine] {
        rows.flatMap { row in
            let outcomes = outcomes[row.id] ?? [:]
            let main = row.metric.map { metric in
                ResultLine(
                    id: row.id, title: row.title, unit: row.unit, group: row.group, metric: metric, kind: .seconds,
                    goal: row.goal, limit: nil, isHeadline: row.isHeadline,
                    values: outcomes.mapValues { $0.map { $0.value(metric) } },
                    wall: outcomes.mapValues { $0.map(\.wall).median },
                    cpu: outcomes.mapValues { $0.map(\.cpu).median })
            }
            let side = row.side.map { figure in
                ResultLine(
                    id: figure.id, title: figure.title, unit: "", group: row.group, metric: nil, kind: figure.unit,
                    goal: figure.goal, limit: figure.limit, isHeadline: false,
                    values: outcomes.mapValues { $0.map { $0.value(figure.key) } }, wall: [:], cpu: [:])
            }
            return [main].compactMap(\.self) + side
        }
    }
}

/// One line of the table.
struct ResultLine {
    let id: String
    let title: String
    let unit: String
    let group: Row.Group
    /// The compared time; `nil` for additional figures.
    let metric: Row.Metric?
    let kind: SideFigure.Unit
    let goal: Double?
    let limit: Double?
    let isHeadline: Bool
    /// One for each round.
    let values: [Competition: [Double]]
    let wall: [Competition: Double]
    let cpu: [Competition: Double]

    func median(_ competition: Competition) -> Double? {
        values[competition].flatMap { $0.isEmpty ? nil : $0.median }
    }

    /// Cabinet's median relative to another one's.
    func ratio(of own: Competition, to other: Competition) -> Double? {
        // A figure with an absolute limit can be 0 for the others.
        guard limit == nil, let own = median(own), let other = median(other), other > 0 else { return nil }
        return own / other
    }

    /// The smallest and the largest ratio of a round.
    func spread(of own: Competition, to other: Competition) -> ClosedRange<Double>? {
        if limit != nil { return nil }
        let ratios = zip(values[own] ?? [], values[other] ?? []).filter { $0.1 > 0 }.map { $0.0 / $0.1 }
        guard let least = ratios.min(), let most = ratios.max() else { return nil }
        return least...most
    }

    /// Whether Cabinet's goal is met; `nil` if there is none.
    func isMet(by own: Competition, against reference: Competition) -> Bool? {
        if let limit { return median(own).map { $0 <= limit } }
        guard let goal else { return nil }
        return ratio(of: own, to: reference).map { $0 <= goal }
    }
}

extension Outcome {
    func value(_ metric: Row.Metric) -> Double {
        switch metric {
        case .wall: wall
        case .cpu: cpu
        case .median: lap ?? .nan
        }
    }

    func value(_ key: String) -> Double {
        switch key {
        case "growth": growth
        case "peak": peak
        default: notes[key] ?? .nan
        }
    }
}
