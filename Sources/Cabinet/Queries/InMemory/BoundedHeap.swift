/// Collects the first elements of an order, without keeping the others: a page out of a million records costs a page.
struct BoundedHeap<Element> {
    /// Once there is no more room, a heap whose first element is the last in the order, so that it is found at once when a better
    /// one comes.
    private var elements: [Element] = []
    private let limit: Int
    private let precedes: (Element, Element) throws -> Bool

    /// - Parameters:
    ///   - limit: The number of elements to keep, at least 1.
    ///   - precedes: Returns whether an element comes before another. The heap rethrows its errors.
    init(limit: Int, by precedes: @escaping (Element, Element) throws -> Bool) {
        self.limit = limit
        self.precedes = precedes
    }

    /// The element that goes when the next one comes, or `nil` while there is room.
    var last: Element? { elements.count < limit ? nil : elements.first }

    /// Adds an element, and drops the last one if there is no room.
    mutating func insert(_ element: Element) throws {
        if elements.count < limit {
            elements.append(element)
            // As long as there is room nothing is dropped, and the elements need no structure.
            if elements.count == limit {
                for parent in stride(from: limit / 2 - 1, through: 0, by: -1) { try siftDown(from: parent) }
            }
        } else if let last = elements.first, try precedes(element, last) {
            elements[0] = element
            try siftDown(from: 0)
        }
    }

    /// The elements in order.
    func sorted() throws -> [Element] {
        try elements.sorted(by: precedes)
    }

    private mutating func siftDown(from place: Int) throws {
        var parent = place
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count {
                if try precedes(elements[last], elements[child]) { last = child }
            }
            if last == parent { return }
            elements.swapAt(parent, last)
            parent = last
        }
    }
}
