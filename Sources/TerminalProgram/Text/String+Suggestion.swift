extension String {
    /// The most similar candidate, if one is similar enough.
    func nearest(of candidates: some Sequence<String>) -> String? {
        let distances = candidates.map { (candidate: $0, distance: distance(to: $0)) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        // A third of the letters may be wrong: at a greater distance, every word resembles every other.
        return best.distance <= max(1, max(count, best.candidate.count) / 3) ? best.candidate : nil
    }

    /// The number of letters to insert, remove, replace or swap to get the other text (optimal string alignment).
    private func distance(to other: String) -> Int {
        let (left, right) = (Array(self), Array(other))
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, otherLetter) in right.enumerated() {
                var best = Swift.min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == otherLetter ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == otherLetter {
                    best = Swift.min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
