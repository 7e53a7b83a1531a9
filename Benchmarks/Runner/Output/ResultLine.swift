/// One line of the table.
struct ResultLine {
    let id: String
    let title: String
    var unit = ""
    let group: Row.Group
    let kind: SideFigure.Unit
    var goal: Double?
    var goalTimes: [Row.Time] = []
    var limit: Double?
    /// Whether the line is subject to ``ProcessorGate``.
    var isGated = false
    /// The processor time, or an additional figure.
    let figures: Figures
    /// The wall time; `nil` for an additional figure.
    var wall: Figures?

    /// Processor time and wall time, or an additional figure.
    var columns: [Figures] { [figures] + (wall.map { [$0] } ?? []) }

    /// Cabinet's processor time and wall time, or an additional figure, relative to another one's.
    func ratios(of own: Competition, to other: Competition) -> [Double] {
        // A figure with an absolute limit can be 0 for the others.
        limit == nil ? columns.compactMap { $0.ratio(of: own, to: other) } : []
    }

    /// Cabinet's processor time relative to its wall time; `nil` for an additional figure.
    func processorShare(of own: Competition) -> Double? {
        guard let processor = figures.median(own), let wall = wall?.median(own), wall > 0 else { return nil }
        return processor / wall
    }

    /// Whether Cabinet's goal is met; `nil` if there is none.
    func isMet(by own: Competition, against reference: Competition) -> Bool? {
        if let limit { return figures.median(own).map { $0 <= limit } }
        guard let goal else { return nil }
        let limited = wall == nil ? columns : goalTimes.compactMap { $0 == .processor ? figures : wall }
        let ratios = limited.compactMap { $0.ratio(of: own, to: reference) }
        return ratios.isEmpty ? nil : ratios.allSatisfy { $0 <= goal }
    }
}
