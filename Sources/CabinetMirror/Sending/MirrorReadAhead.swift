/// The moment at which a send reads its next request.
///
/// A test chooses one of the moments between which the default is, so that the same always happens in it.
package enum MirrorReadAhead: Sendable {
    /// Before the current request is sent.
    case before
    /// While the current request is at the server, which saves the time of the read.
    case meanwhile
    /// After the answer to the current request.
    case after
}
