/// One figure of each competitor.
struct Figures {
    /// One for each round.
    let values: [Competition: [Double]]

    func median(_ competition: Competition) -> Double? {
        values[competition].flatMap { $0.isEmpty ? nil : $0.median }
    }

    /// Cabinet's median relative to another one's.
    func ratio(of own: Competition, to other: Competition) -> Double? {
        guard let own = median(own), let other = median(other), other > 0 else { return nil }
        return own / other
    }

    /// The smallest and the largest ratio of a round.
    func spread(of own: Competition, to other: Competition) -> ClosedRange<Double>? {
        let ratios = zip(values[own] ?? [], values[other] ?? []).filter { $0.1 > 0 }.map { $0.0 / $0.1 }
        guard let least = ratios.min(), let most = ratios.max() else { return nil }
        return least...most
    }
}
