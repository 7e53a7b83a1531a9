public import Observation

/// A live count, sum or other aggregate for a view model, kept up to date while ``run()`` runs.
///
/// ```swift
/// struct Badge: View {
///     @State var open: LiveValue<Int>
///
///     var body: some View {
///         Text("\(open.value ?? 0)")
///             .task { await open.run() }
///     }
/// }
///
/// Badge(open: LiveValue(items.observeCount { $0.isBought == false }))
/// ```
///
/// Reading ``value`` or ``error`` registers an observation, as with a class that the `@Observable` macro extends.
@MainActor
public final class LiveValue<Value: Sendable>: Observable {
    private let values: any AsyncSequence<Value, any Error> & Sendable
    private let registrar = ObservationRegistrar()
    private var currentValue: Value?
    private var currentError: (any Error)?

    /// Creates a value that is `nil` until ``run()`` is called.
    ///
    /// - Parameter observation: The live aggregate, such as ``Table/observeCount(where:)``.
    public convenience init(_ observation: AggregateObservation<Value>) {
        self.init(following: observation)
    }

    init(following values: any AsyncSequence<Value, any Error> & Sendable) {
        self.values = values
    }

    /// The value; `nil` before the first one.
    public var value: Value? {
        registrar.access(self, keyPath: \.value)
        return currentValue
    }

    /// The error that ended the last run, or `nil`.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return currentError
    }

    /// Keeps the value up to date until the task is cancelled, or until the aggregate cannot be computed.
    ///
    /// After an error, call this method again to continue.
    public func run() async {
        set(error: nil)
        do {
            for try await value in values {
                registrar.withMutation(of: self, keyPath: \.value) { currentValue = value }
            }
        } catch {
            set(error: error)
        }
    }

    private func set(error: (any Error)?) {
        registrar.withMutation(of: self, keyPath: \.error) { currentError = error }
    }
}
