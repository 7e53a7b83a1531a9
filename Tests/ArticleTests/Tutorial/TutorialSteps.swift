import Testing

@Suite("The tutorial: each step runs, and prints what the text says", .timeLimit(.minutes(15)))
struct TutorialSteps {
    /// The output of the last step; each step before it prints its beginning.
    static let output = [
        "Saved: Groceries",
        "Items: 2",
        "1 Bread",
        "2 Milk",
        "Milk: 3",
        "Milk: 4 litres",
        "On the screen: 3",
        "Left: 0",
    ]

    /// Whether a line depends on how fast the loop runs: live queries combine changes.
    static func depends(_ line: String) -> Bool {
        line.hasPrefix("On the screen:") && !line.hasSuffix(" 3")
    }
}
