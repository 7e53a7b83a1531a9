extension RandomAccessCollection where Index == Int {
    /// Returns the parts of the collection, all of a size but the last one, which may be smaller.
    ///
    /// Each part is a slice, which is made when it is reached.
    package func parts(of size: Int) -> some Sequence<SubSequence> {
        stride(from: startIndex, to: endIndex, by: size).lazy.map { self[$0...].prefix(size) }
    }
}
