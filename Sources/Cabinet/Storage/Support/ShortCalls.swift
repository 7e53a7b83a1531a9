/// The calls that block a thread for microseconds, such as short reads from SQLite, or not at all, as reads from PostgreSQL.
package enum ShortCalls {
    /// Whether such calls may block the executor that a task prefers.
    ///
    /// Otherwise they leave an executor that a program has chosen, and wait for a thread of Cabinet's, which takes longer than the call.
    @TaskLocal package static var mayBlockExecutor = false
}
