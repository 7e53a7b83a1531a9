import Foundation

/// The records whose references lead to records of later batches, in a file beside the imported one.
///
/// An import saves such records first without these references, and a second time at its end.
struct DeferredRecords {
    let file: URL
    private var handle: FileHandle?

    /// - Parameter continues: Whether the file of an interrupted import is continued. Otherwise it begins empty.
    init(beside file: URL, continues: Bool) {
        self.file = file.appendingPathExtension("deferred")
        if !continues { remove() }
    }

    var isEmpty: Bool { !FileManager.default.fileExists(atPath: file.path) }

    /// Adds records, which are in the file afterwards.
    mutating func add(_ objects: [JSONValue]) throws {
        if handle == nil {
            if isEmpty { try Data().write(to: file) }
            handle = try FileHandle(forWritingTo: file)
            try handle?.seekToEnd()
        }
        try handle?.write(contentsOf: Data(objects.map { "\($0)\n" }.joined().utf8))
        try handle?.synchronize()
    }

    func remove() {
        try? FileManager.default.removeItem(at: file)
    }
}
