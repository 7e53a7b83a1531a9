/// Finds out which elements of a list a failure needs, by delta debugging: leaves out pieces, ever smaller ones, as long as it
/// fails without them.
///
/// - Parameters:
///   - elements: A list that fails.
///   - tries: How often `fails` may be asked.
///   - deadline: When to be content with what was found.
///   - fails: Whether a list fails.
/// - Returns: A list that fails; within the tries and the time, one of which no element can be left out.
func shrunk<Element>(
    _ elements: [Element], tries: Int = 300, until deadline: ContinuousClock.Instant? = nil,
    _ fails: ([Element]) async -> Bool
) async -> [Element] {
    var elements = elements
    var size = max(elements.count / 2, 1)
    var remaining = tries
    while true {
        var isSmaller = false
        var end = elements.count
        // From the end, because what comes later needs what came before.
        while end > 0, remaining > 0 {
            let start = max(end - size, 0)
            var candidate = elements
            candidate.removeSubrange(start..<end)
            if let deadline, ContinuousClock.now > deadline {
                remaining = 0
                break
            }
            remaining -= 1
            if await fails(candidate) {
                elements = candidate
                isSmaller = true
            }
            end = start
        }
        if remaining == 0 || size == 1 && !isSmaller { return elements }
        if !isSmaller || size > elements.count { size = max(size / 2, 1) }
    }
}
