public import Observation

/// A live result for a view model: the records of a typed query, kept up to date while ``run()`` runs.
///
/// ```swift
/// struct ItemsView: View {
///     @State var items: LiveItems<Items>
///
///     var body: some View {
///         List(items.items) { Text($0.name) }
///             .task { await items.run() }
///     }
/// }
/// ```
///
/// Reading ``items`` or ``error`` registers an observation, as with a class that the `@Observable` macro extends.
@MainActor
public final class LiveItems<Fields: RecordFields>: Observable {
    private let result: LiveValue<[Typed<Fields>]>

    /// Creates a result that is empty until ``run()`` is called.
    ///
    /// - Parameter observation: The live query, from ``Table/observe(where:by:desiredFields:limit:)``.
    public init(_ observation: TypedObservation<Fields>) {
        result = LiveValue(following: observation)
    }

    /// The records, in the order of the query; none before the first result.
    public var items: [Typed<Fields>] { result.value ?? [] }

    /// The error that ended the last run, or `nil`.
    public var error: (any Error)? { result.error }

    /// Keeps the result up to date until the task is cancelled, or until the query fails.
    ///
    /// After an error, call this method again to continue.
    public func run() async { await result.run() }
}
