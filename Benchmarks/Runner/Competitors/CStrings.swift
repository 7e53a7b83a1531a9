import BenchmarkBaseline
import Foundation

/// Texts as C strings, valid while this value lives.
final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        pointers = texts.map { UnsafePointer(strdup($0)) }
    }

    deinit {
        for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
    }

    var count: Int32 { Int32(pointers.count) }
}

/// Rows as C structs, valid while this value lives.
final class CItems {
    let items: [baseline_item]
    /// The storage that the rows point into.
    private let texts: [CStrings]

    init(_ items: [Samples.Item]) {
        let (ids, names) = (CStrings(items.map(\.id)), CStrings(items.map(\.name)))
        let lists = CStrings(items.map(\.list))
        texts = [ids, names, lists]
        self.items = items.indices.map {
            baseline_item(
                id: ids.pointers[$0], name: names.pointers[$0], number: items[$0].number, list: lists.pointers[$0])
        }
    }

    convenience init(_ lists: [Samples.List]) {
        self.init(lists.map { Samples.Item(id: $0.id, name: $0.name, number: 0, list: "") })
    }

    convenience init(_ notes: [Samples.Note]) {
        self.init(notes.map { Samples.Item(id: $0.id, name: $0.text, number: 0, list: "") })
    }

    var count: Int32 { Int32(items.count) }
}
