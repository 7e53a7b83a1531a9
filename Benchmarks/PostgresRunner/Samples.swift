import Cabinet

/// What both store: lists with a hundred items each, whose IDs are ordered by time, as Cabinet's are.
struct Samples {
    struct Item {
        let id: String
        let name: String
        let number: Int64
        let list: Int
    }

    let lists: [(id: String, name: String)]
    let items: [Item]
    /// The items in no order.
    let mixed: [Item]

    init(count: Int, itemsPerList: Int = 100) {
        var generator = Generator(state: 0x5EED)
        let listCount = max(count / itemsPerList, 1)
        lists = (0..<listCount).map { (RecordID().recordName, "List \($0)") }
        let items = (0..<count).map { index in
            let word = String((0..<6).map { _ in Character(Unicode.Scalar(UInt8(97 + generator.next(below: 26)))) })
            return Item(
                id: RecordID().recordName, name: "\(word) \(index)", number: Int64(generator.next(below: 1000)),
                list: index % listCount)
        }
        self.items = items
        mixed = items.indices.map { items[$0 * 7919 % count] }
    }

    /// Items that come after the samples, in the last of the lists: the first ones are deleted.
    func more(_ count: Int, from start: Int) -> [Item] {
        (start..<start + count).map { index in
            Item(
                id: RecordID().recordName, name: "more \(index)", number: Int64(index),
                list: lists.count - 1 - index % max(lists.count / 2, 1))
        }
    }
}

/// Numbers that look random, and are the same in each run.
private struct Generator {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
