/// The part of a server in the coding of a request that it answers.
///
/// A structure, because a task-local function crashes optimized programs: swift_task_localValuePush gets no type (Swift 6.3.1).
package struct ServerCoding: Sendable {
    /// The request that the task answers.
    @TaskLocal package static var current: ServerCoding?

    /// Returns the error that is coded in place of another one, so that a server keeps its own failures from its clients.
    package let mask: @Sendable (CabinetError) -> CabinetError

    /// Counts the bytes that the tokens of a text need beyond those of an ordinary text, before they are used.
    ///
    /// A text of many small values has tokens of eight times its size.
    package let reserve: @Sendable (_ bytes: Int) throws(CabinetError) -> Void

    /// Creates the part of a server.
    package init(
        mask: @escaping @Sendable (CabinetError) -> CabinetError,
        reserve: @escaping @Sendable (_ bytes: Int) throws(CabinetError) -> Void
    ) {
        self.mask = mask
        self.reserve = reserve
    }
}
