import Foundation
import Synchronization

/// Members that are accepted without an effect.
///
/// The first use of each prints a warning.
enum IgnoredMember {
    // Bounded, because all names are constants of this module.
    private static let reported = Mutex<Set<String>>([])

    /// The reason of the settings of connections.
    static let networkReason = "the store decides about connections, if it has any"

    /// Writes a warning to standard error, unless one about this member was written before.
    ///
    /// - Parameters:
    ///   - member: The member, as it is called in CloudKit.
    ///   - reason: The reason why it has no effect.
    /// - Returns: Whether this was the first use.
    @discardableResult
    static func warn(_ member: String, _ reason: String) -> Bool {
        guard reported.withLock({ $0.insert(member).inserted }) else { return false }
        FileHandle.writeWarning("CloudKit: \(member) has no effect here: \(reason).")
        return true
    }
}
