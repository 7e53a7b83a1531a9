import CabinetServer
import Synchronization

/// One request, the task that answers it, and what the task and the thread of libmicrohttpd exchange.
///
/// The exchange is the executor of the task. While the thread of libmicrohttpd is in one of its callbacks, it runs the jobs of the task
/// itself. When there are none left and the task waits for something other than its body, the connection is suspended. The end
/// of the wait resumes it, and the thread goes on with the task. Swift's own threads run the jobs while the body or the response is streamed.
///
/// The connection is suspended exactly if neither the request's body nor the response can go on. Only the task can change that, and
/// ``wake(_:)`` then resumes the connection once.
final class Exchange: TaskExecutor {
    /// The part of the request that has arrived.
    enum Phase {
        case head
        case body
        case complete
    }

    struct State {
        /// The connection; `nil` after the request.
        var handle: MicroHTTPDHandle?
        var phase = Phase.head
        var head: RequestHead?
        var task: Task<Void, Never>?
        /// The jobs that the thread of libmicrohttpd runs before it leaves its callback.
        var jobs = JobQueue()
        /// Whether the thread of libmicrohttpd is in a callback, and runs the jobs.
        var isInline = false
        var isSuspended = false
        /// Whether the next callback closes the connection.
        var isAborted = false
        var incoming = IncomingBody()
        var outgoing = OutgoingBody()
        /// The response of the handler, until libmicrohttpd has it.
        var response: HTTPResponse?
        /// Whether libmicrohttpd has a response.
        var isAnswered = false
        /// The error of the handler, or of the stream of its response.
        var error: (any Error)?

        /// Whether the connection is suspended, and its resumption is followed by a callback that runs jobs.
        var canResumeForJob: Bool { isSuspended && phase == .complete && !isAnswered }
    }

    let daemon: Daemon
    let connection: Connection
    /// The target as it was sent.
    let target: String
    /// The time of the first line, if a log asks for it.
    let start: ContinuousClock.Instant?
    let state: Mutex<State>

    init(daemon: Daemon, connection: Connection, handle: MicroHTTPDHandle, target: String) {
        self.daemon = daemon
        self.connection = connection
        self.target = target
        start = daemon.core.configuration.log == nil ? nil : .now
        state = Mutex(State(handle: handle))
    }

    /// Runs a job in the current callback of libmicrohttpd, in the one that follows a resumption, or on Swift's threads.
    ///
    /// - Parameter job: The job to run.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isInline = state.withLock { state in
            if !state.isInline, state.canResumeForJob, !daemon.core.resumptions.isCrowded {
                state.isInline = true
                wake(&state)
            }
            if state.isInline { state.jobs.append(job) }
            return state.isInline
        }
        if !isInline { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs jobs on the thread of libmicrohttpd.
    func run(_ jobs: JobQueue) {
        jobs.forEach { $0.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Suspends the connection until ``wake(_:)``, on the thread of libmicrohttpd in a callback.
    func suspend(_ state: inout State) {
        guard let handle = state.handle else { return }
        state.isSuspended = true
        connection.deadline.store(0, ordering: .relaxed)
        connection.isSuspended.store(true, ordering: .relaxed)
        daemon.core.resumptions.suspend(handle)
    }

    /// Resumes the connection if it is suspended.
    ///
    /// The lock of the state is held until libmicrohttpd knows, so that the end of the listener cannot come between.
    func wake(_ state: inout State) {
        guard state.isSuspended, let handle = state.handle else { return }
        state.isSuspended = false
        connection.isSuspended.store(false, ordering: .relaxed)
        daemon.core.resumptions.resume(handle)
    }

    /// Cancels the task, because its client has gone or the listener ends.
    func cancel() {
        let (task, _) = state.withLock { state in
            let poll = state.outgoing.poll.take()
            if poll != nil { endStream(&state, isWhole: true) }
            return (state.task, poll)
        }
        task?.cancel()
    }

    /// Ends a response that is polled for its bytes, a stream of events, so that its client connects again.
    func endPolling() {
        if state.withLock({ $0.outgoing.poll != nil }) { cancel() }
    }

    /// Whether the next callback closes the connection.
    func isAborted(_ state: borrowing State) -> Bool {
        state.isAborted || daemon.core.isAborting.load(ordering: .relaxed)
    }

    /// Cancels the task, and closes the connection without waiting for it.
    func abort() {
        let task = state.withLock { state in
            state.isAborted = true
            wake(&state)
            return state.task
        }
        task?.cancel()
    }
}

/// Jobs in order: nearly always one, which needs no memory of its own.
struct JobQueue {
    private var first: UnownedJob?
    private var others: [UnownedJob] = []

    var isEmpty: Bool { first == nil }

    mutating func append(_ job: UnownedJob) {
        if first == nil { first = job } else { others.append(job) }
    }

    func forEach(_ body: (UnownedJob) -> Void) {
        if let first { body(first) }
        others.forEach(body)
    }
}
