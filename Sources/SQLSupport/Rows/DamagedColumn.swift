/// The error for a column whose value is not of its type.
struct DamagedColumn: Error {
    let name: String

    /// The error for a column that every table has.
    init(system offset: Int) {
        name = SQLColumn.systemNames[offset]
    }
}
