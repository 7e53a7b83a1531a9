/// Collects the first elements of an order, and drops the others, so that a page of a million records needs memory for
/// a page.
struct BoundedHeap<Element> {
    /// A heap once the limit is reached.
    ///
    /// Its first element is the last in the order, so that a better element replaces it at once.
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

    /// The element that the next better one replaces, or `nil` below the limit.
    var last: Element? { elements.count < limit ? nil : elements.first }

    /// Adds an element, and drops the last one if there is no room.
    mutating func insert(_ element: Element) throws {
        if elements.count < limit {
            elements.append(element)
            // Below the limit nothing is dropped, and the elements need no structure.
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
