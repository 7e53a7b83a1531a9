/// A version of the local copy of a mirror: as long as it is the same, no record and no pending change is another one.
///
/// Every transaction of a program or a mirror has numbers. A change of the schema has none, and changes records nevertheless.
package struct MirrorVersion: Sendable, Equatable {
    private let content: Content

    init(_ state: DatabaseState, _ schema: StoredSchema) {
        content = Content(state, schema)
    }

    /// A class, because the records of a page share one version.
    private final class Content: Sendable, Equatable {
        let state: DatabaseState
        let schema: StoredSchema

        init(_ state: DatabaseState, _ schema: StoredSchema) {
            (self.state, self.schema) = (state, schema)
        }

        static func == (left: Content, right: Content) -> Bool {
            left === right || left.state == right.state && left.schema == right.schema
        }
    }
}
