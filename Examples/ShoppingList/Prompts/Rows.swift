import Cabinet
import TerminalProgram

/// The rows of a screen of lines: fetched page by page, and numbered, so that a person can choose one.
struct Rows<Fields: NamedFields> {
    private var fetched: FetchedRecords<Fields>
    private var pages: Pages
    private let query: Query
    private let failing: Sentence
    private let store: ShoppingStore
    private let console: Console
    /// The reason that rows may be missing.
    private var status: String?
    /// The result of the last choice, if there is one to show.
    var notice: String?

    /// Creates an empty list of rows.
    ///
    /// - Parameter failing: The sentence to show if they cannot be fetched.
    init(_ query: Query, failing: Sentence, store: ShoppingStore, console: Console) {
        fetched = FetchedRecords<Fields>(query)
        pages = Pages(height: console.pageHeight)
        self.query = query
        self.failing = failing
        self.store = store
        self.console = console
    }

    /// The rows that were fetched.
    var records: [Typed<Fields>] { fetched.records }

    /// Shows the page.
    ///
    /// - Parameters:
    ///   - keys: The keys to show if there are rows.
    ///   - last: The key that leaves the screen.
    mutating func show(
        title: String, empty: Sentence, keys: [String], last: String, columns: (Typed<Fields>) -> [String]
    ) {
        console.clear()
        console.write(title: title)
        let visible = pages.rows(of: records.count)
        console.write(indented: visible.map { ["\($0 + 1)."] + columns(records[$0]) })
        if let status { console.write(status) } else if records.isEmpty { console.write(empty.rawValue) }
        if let notice { console.write(notice) }
        console.write()
        let hints = (records.isEmpty ? [] : keys) + ["a add", "r refresh"] + pages.hints(of: records.count) + [last]
        console.write(hints.joined(separator: "   "))
        notice = nil
    }

    /// Fetches the rows of the page that were not fetched yet.
    mutating func fetch() async {
        if records.count >= pages.rowsNeeded, status == nil { return }
        do throws(ShoppingError) {
            fetched = try await console.showing("Fetching") { [self] () async throws(ShoppingError) in
                try await saying(failing) {
                    var fetched = fetched
                    try await fetched.fetch(atLeast: pages.rowsNeeded, from: store.database)
                    return fetched
                }
            }
            status = nil
        } catch {
            status = "\(error)"
        }
    }

    /// Discards the rows, so that they are fetched again.
    mutating func refresh() {
        fetched = FetchedRecords<Fields>(query)
    }

    /// Goes to the next page.
    mutating func showNext() { pages.next(of: records.count) }

    /// Goes to the page before.
    mutating func showPrevious() { pages.previous() }

    /// Shows a saved record at its position.
    mutating func take(_ answer: Questions.Answer<Fields>, of record: Typed<Fields>?) {
        switch answer {
        case .saved(let saved): fetched.place(saved)
        case .cancelled: break
        case .deleted(let error):
            notice = "\(error)"
            if let record { fetched.remove(record.id) }
        }
    }

    /// Deletes a record if the person confirms.
    ///
    /// Its row is removed after the store has answered.
    mutating func delete(
        _ record: Typed<Fields>, question: String, work: () async throws(ShoppingError) -> Void
    ) async throws(EndOfInput) {
        guard try await console.confirm(question) else { return }
        do throws(ShoppingError) {
            try await console.showing("Deleting", while: work)
            fetched.remove(record.id)
        } catch {
            notice = "\(error)"
            if error.isDeletion { fetched.remove(record.id) }
        }
    }
}
