import Cabinet
import TerminalProgram

/// The rows of a screen of lines: fetched page by page, and numbered, so that a person can choose one.
struct Rows<Fields: NamedFields> {
    private var fetched: FetchedRecords<Fields>
    private var pages: Pages
    private var search = RowSearch()
    /// The record whose deletion waits for the next line.
    private var deletion: (record: Typed<Fields>, waiting: WaitingDeletion)?
    private let query: Query
    private let failing: Sentence
    private let databases: @Sendable () async throws -> [Database]
    private let console: Console
    /// The reason that rows may be missing.
    private var status: String?
    /// The result of the last choice, if there is one to show.
    private var notice: String?

    /// Creates an empty list of rows.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - databases: The databases and zones with the records.
    ///   - failing: The sentence to show if they cannot be fetched.
    ///   - console: The console.
    init(
        _ query: Query, in databases: @escaping @Sendable () async throws -> [Database], failing: Sentence,
        console: Console
    ) {
        fetched = FetchedRecords<Fields>(query)
        pages = Pages(height: console.pageHeight)
        self.query = query
        self.failing = failing
        self.databases = databases
        self.console = console
    }

    /// The rows that were fetched, and that the search finds.
    var records: [Typed<Fields>] { search.found(in: fetched.records, \.title) }

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
        let records = records
        let visible = pages.rows(of: records.count)
        console.write(indented: visible.map { ["\($0 + 1)."] + columns(records[$0]) })
        if let status { console.write(status) } else if records.isEmpty { console.write(empty.rawValue) }
        for line in [search.lines.status, notice, deletion?.waiting.message] { if let line { console.write(line) } }
        console.write()
        let hints = (deletion == nil ? [] : [WaitingDeletion.hint]) + (records.isEmpty ? [] : keys)
        let others = ["a add", "r refresh", search.lines.hint] + pages.hints(of: records.count) + [last]
        console.write((hints + others).joined(separator: "   "))
        notice = nil
    }

    /// Fetches the rows of the page that were not fetched yet; for a search, all.
    mutating func fetch() async {
        let needed = search.isActive ? Int.max : pages.rowsNeeded
        if fetched.records.count >= needed, status == nil { return }
        do throws(ShoppingError) {
            fetched = try await console.showing("Fetching") { [self] () async throws(ShoppingError) in
                try await saying(failing) {
                    var fetched = fetched
                    try await fetched.fetch(atLeast: needed, from: try await databases())
                    return fetched
                }
            }
            status = nil
        } catch {
            status = "\(error)"
        }
    }

    /// Asks for a choice, and performs the deletion that waits for it, unless the choice is to undo it.
    mutating func choose() async throws(EndOfInput) -> Choice {
        let record = deletion?.record
        let choice = try await console.choose(rows: records.count, ending: deletion?.waiting)
        deletion = nil
        switch choice {
        case .undo: if let record { fetched.insert(record) }
        case .notDeleted(let error):
            notice = "\(error)"
            if let record, (error as? ShoppingError)?.isDeletion != true { fetched.insert(record) }
        default: break
        }
        return choice
    }

    /// Handles a choice that shows other rows.
    mutating func handle(_ choice: Choice) {
        switch choice {
        case .search(let text): (search, pages) = (RowSearch(text), Pages(height: console.pageHeight))
        case .refresh: fetched = FetchedRecords<Fields>(query)
        case .next: pages.next(of: records.count)
        case .previous: pages.previous()
        case .unclear(let hint): notice = hint
        default: break
        }
    }

    /// Shows a saved record at its position.
    mutating func take(_ answer: Questions.Answer<Fields>, of record: Typed<Fields>?) {
        switch answer {
        case .saved(let saved): fetched.insert(saved)
        case .cancelled: break
        case .deleted(let error):
            notice = "\(error)"
            if let record { fetched.remove(record.id) }
        }
    }

    /// Hides a record's row, and deletes the record with the next line.
    mutating func delete(
        _ record: Typed<Fields>, named title: String, work: @escaping @Sendable () async throws -> Void
    ) {
        fetched.remove(record.id)
        deletion = (record, WaitingDeletion(of: title, work: work))
    }
}
