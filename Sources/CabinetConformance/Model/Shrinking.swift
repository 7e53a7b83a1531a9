/// Reduces a failing list to the elements that the failure needs, by delta debugging.
///
/// It removes ever smaller pieces as long as the rest still fails.
///
/// - Parameters:
///   - elements: A list that fails.
///   - tries: The maximum number of calls of `fails`.
///   - deadline: The instant at which to return the best result so far.
///   - fails: Whether a list fails.
/// - Returns: A list that fails. Within the given tries and time, none of its elements can be removed.
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
        // From the end, because later operations need earlier ones.
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
